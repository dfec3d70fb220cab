package org.bitwitness.cli.store.objects;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;
import org.bitwitness.protocol.record.FileEntry;

/**
 * Files of a run up to one of its commitments. Never changed: a run that went on gets another one. For example
 * {@code {"commitments":3,"files":[{"bytes":998,"path":"commitments/0000.bin","sha256":"8e32…"}],"runId":"8eeb…","version":1}}.
 *
 * @param commitments how many commitments of the run are there
 * @param files by path, each once
 */
record RunManifest(RunId runId, long commitments, List<FileEntry> files) {
    static final String FOLDER = "runs";
    static final int MAX_BYTES = 1 << 28;
    private static final int VERSION = 1;
    private static final int MAX_FILES = 1 << 20;
    private static final long MAX_COMMITMENTS = 1 << 20;
    private static final long MAX_FILE_BYTES = (1L << 53) - 1;
    private static final StrictJson JSON = StrictJson.with(new StrictJson.Limits(MAX_BYTES, 4, 1 << 10, 20));
    private static final Pattern NAME = Pattern.compile("runs/([0-9a-f]{64})/([0-9]{8})-([0-9a-f]{64})\\.json");

    RunManifest {
        files = List.copyOf(files);
        if (commitments < 1 || commitments > MAX_COMMITMENTS) {
            throw new IllegalArgumentException(
                    "a run in a store has 1 to %d commitments, got %d".formatted(MAX_COMMITMENTS, commitments));
        }
        if (files.size() > MAX_FILES) {
            throw new IllegalArgumentException("%d files, at most %d".formatted(files.size(), MAX_FILES));
        }
        for (int i = 1; i < files.size(); i++) {
            if (files.get(i - 1).path().compareTo(files.get(i).path()) >= 0) {
                throw new IllegalArgumentException(
                        "files are ordered by path, each once: " + files.get(i).path());
            }
        }
    }

    /** Where a manifest lies: the name says what must be in it. */
    record Name(RunId runId, long commitments, Sha256 sha256) {
        /** Empty for anything else. */
        static Optional<Name> parse(String name) {
            Matcher parts = NAME.matcher(name);
            return parts.matches()
                    ? Optional.of(new Name(
                            new RunId(Sha256.ofHex(parts.group(1))),
                            Long.parseLong(parts.group(2)),
                            Sha256.ofHex(parts.group(3))))
                    : Optional.empty();
        }

        String text() {
            return String.format(Locale.ROOT, "%s/%s/%08d-%s.json", FOLDER, runId.hex(), commitments, sha256);
        }
    }

    static RunManifest of(RunId runId, long commitments, Collection<FileEntry> files) {
        Map<RecordingPath, FileEntry> sorted = new TreeMap<>();
        files.forEach(file -> sorted.put(file.path(), file));
        return new RunManifest(runId, commitments, List.copyOf(sorted.values()));
    }

    Name name() {
        return new Name(runId, commitments, Hashing.sha256(toBytes()));
    }

    long bytes() {
        return files.stream().mapToLong(FileEntry::bytes).sum();
    }

    Map<RecordingPath, FileEntry> byPath() {
        Map<RecordingPath, FileEntry> map = new TreeMap<>();
        files.forEach(file -> map.put(file.path(), file));
        return map;
    }

    byte[] toBytes() {
        List<Json> items = new ArrayList<>();
        for (FileEntry file : files) {
            items.add(Json.object()
                    .put("bytes", file.bytes())
                    .put("path", file.path().text())
                    .put("sha256", file.sha256().hex())
                    .build());
        }
        return Json.canonicalBytes(Json.object()
                .put("commitments", commitments)
                .put("files", new Json.Arr(items))
                .put("runId", runId.hex())
                .put("version", VERSION)
                .build());
    }

    /** Reads what lies under a name; any byte but those that the name stands for is refused. */
    static RunManifest read(Name name, byte[] bytes) throws ProtocolException {
        String path = name.text();
        Sha256 found = Hashing.sha256(bytes);
        if (!found.equals(name.sha256())) {
            throw ProtocolException.unequal("%s: should have the SHA-256 in its name, has %s", path, found);
        }
        JsonFields in = JsonFields.of(path, JSON.readObject(bytes, path));
        if (in.integer("version", 0, MAX_FILE_BYTES) != VERSION) {
            throw in.refuse("version", "is not " + VERSION + ", the only one that is known here");
        }
        Sha256 runId = in.digest("runId");
        long commitments = in.integer("commitments", 1, MAX_COMMITMENTS);
        List<FileEntry> files = new ArrayList<>();
        for (JsonFields file : in.objects("files", MAX_FILES)) {
            String place = file.text("path");
            if (!RecordingPath.isValid(place)) {
                throw file.refuse("path", "is not a path inside a recording");
            }
            files.add(new FileEntry(
                    new RecordingPath(place), file.integer("bytes", 0, MAX_FILE_BYTES), file.digest("sha256")));
            file.end();
        }
        in.end();
        RunManifest manifest;
        try {
            manifest = new RunManifest(new RunId(runId), commitments, files);
        } catch (IllegalArgumentException e) {
            throw new ProtocolException(ProtocolException.Kind.MALFORMED, path + ": " + e.getMessage(), e);
        }
        if (!Arrays.equals(manifest.toBytes(), bytes) || !manifest.name().equals(name)) {
            throw ProtocolException.malformed("%s: does not say what its name says, in the one spelling", path);
        }
        return manifest;
    }
}
