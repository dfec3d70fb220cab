package org.bitwitness.cli.store.objects;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;

/**
 * Recordings by the SHA-256 of their files. {@code objects/ab/ab12…} has the bytes with that SHA-256, {@code
 * runs/<run>/<commitments>-<sha256>.json} is a {@link RunManifest}; both are written once and never changed, a manifest
 * after all objects that it names. So a store that is cut off anywhere has every run that it had, and objects too many.
 */
public final class ObjectStore implements AutoCloseable {
    static final String MARKER = "bitwitness-store.json";
    static final String OBJECTS = "objects";
    private static final byte[] MARKER_BYTES =
            "{\"kind\":\"bitwitness-store\",\"version\":1}".getBytes(StandardCharsets.UTF_8);
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int MIN_PREFIX_DIGITS = 4;

    private final StoreFiles files;

    private ObjectStore(StoreFiles files) {
        this.files = files;
    }

    /** A store that is there; one of another version is refused. */
    static ObjectStore open(StoreFiles files) throws CommandFailure, IOException {
        OptionalLong size = files.size(MARKER);
        if (size.isEmpty()) {
            throw CommandFailure.usage("%s is not a store, it has no %s: store add makes one in an empty folder"
                    .formatted(files.describe(), MARKER));
        }
        try (InputStream in = files.open(MARKER, 0)) {
            byte[] found = in.readNBytes(MARKER_BYTES.length + 1);
            if (!Arrays.equals(found, MARKER_BYTES)) {
                throw CommandFailure.usage("%s: %s should say %s, so this version cannot use the store"
                        .formatted(files.describe(), MARKER, new String(MARKER_BYTES, StandardCharsets.UTF_8)));
            }
        }
        return new ObjectStore(files);
    }

    /** The same, made where nothing is yet. */
    static ObjectStore openOrMake(StoreFiles files) throws CommandFailure, IOException, ProtocolException {
        if (files.size(MARKER).isEmpty()) {
            if (files.list("").keySet().stream().anyMatch(name -> !isOwn(name))) {
                throw CommandFailure.usage(files.describe()
                        + " holds other files and is not a store: a store is made in an empty folder only");
            }
            files.put(MARKER, out -> out.write(MARKER_BYTES));
        }
        return open(files);
    }

    /** What an add that was cut off before the marker leaves. */
    private static boolean isOwn(String name) {
        return name.equals("lock") || name.startsWith(LocalStoreFiles.TEMPORARY + "/") || name.startsWith("locks/");
    }

    static String object(Sha256 sha256) {
        return "%s/%s/%s".formatted(OBJECTS, sha256.hex().substring(0, 2), sha256.hex());
    }

    StoreFiles files() {
        return files;
    }

    public String describe() {
        return files.describe();
    }

    /** The newest manifest of every run. */
    public Map<RunId, StoredRun> runs() throws IOException, ProtocolException {
        Map<RunId, RunManifest.Name> newest = new HashMap<>();
        for (RunManifest.Name name : manifests()) {
            newest.merge(name.runId(), name, ObjectStore::newer);
        }
        Map<String, StoredRun> runs = new TreeMap<>();
        for (RunManifest.Name name : newest.values()) {
            runs.put(name.runId().hex(), new StoredRun(this, manifest(name)));
        }
        Map<RunId, StoredRun> ordered = new LinkedHashMap<>();
        runs.values().forEach(run -> ordered.put(run.runId(), run));
        return ordered;
    }

    /** The run that a person names by the first digits of its name. */
    public StoredRun run(String prefix) throws CommandFailure, IOException, ProtocolException {
        Optional<RunManifest.Name> found = Optional.empty();
        for (RunManifest.Name name : named(prefix)) {
            if (found.isPresent() && !found.get().runId().equals(name.runId())) {
                throw CommandFailure.usage("%s begins the names of %s and of %s: give more digits"
                        .formatted(prefix, found.get().runId(), name.runId()));
            }
            found = Optional.of(found.isEmpty() ? name : newer(found.get(), name));
        }
        if (found.isEmpty()) {
            throw CommandFailure.usage("%s has no run %s: store list shows those it has".formatted(describe(), prefix));
        }
        return new StoredRun(this, manifest(found.get()));
    }

    Collection<RunManifest.Name> named(String prefix) throws CommandFailure, IOException {
        if (!prefix.matches("[0-9a-f]{%d,64}".formatted(MIN_PREFIX_DIGITS))) {
            throw CommandFailure.usage("a run is named by the first %d or more of its 64 hex digits, got %s"
                    .formatted(MIN_PREFIX_DIGITS, prefix));
        }
        return manifests().stream()
                .filter(name -> name.runId().hex().startsWith(prefix))
                .toList();
    }

    /** More commitments win; of two copies that differ in a bundle only, either will do, and it is always the same. */
    private static RunManifest.Name newer(RunManifest.Name one, RunManifest.Name other) {
        if (one.commitments() != other.commitments()) {
            return one.commitments() > other.commitments() ? one : other;
        }
        return one.sha256().compareTo(other.sha256()) < 0 ? one : other;
    }

    Collection<RunManifest.Name> manifests() throws IOException {
        return files.list(RunManifest.FOLDER).keySet().stream()
                .flatMap(name -> RunManifest.Name.parse(name).stream())
                .toList();
    }

    RunManifest manifest(RunManifest.Name name) throws IOException, ProtocolException {
        long size = files.size(name.text()).orElse(0);
        if (size > RunManifest.MAX_BYTES) {
            throw ProtocolException.overLimit("%s: at most %d bytes, has %d", name.text(), RunManifest.MAX_BYTES, size);
        }
        try (InputStream in = files.open(name.text(), 0)) {
            return RunManifest.read(name, in.readNBytes(RunManifest.MAX_BYTES + 1));
        }
    }

    void put(RunManifest manifest) throws IOException, ProtocolException {
        files.put(manifest.name().text(), out -> out.write(manifest.toBytes()));
    }

    /** True where an object has the bytes that its name says; reads it whole. */
    boolean isWhole(Sha256 sha256, long bytes, StoreFiles.Lock lock) throws IOException {
        OptionalLong size = files.size(object(sha256));
        if (size.isEmpty() || size.getAsLong() != bytes) {
            return false;
        }
        MessageDigest digest = Hashing.newDigest();
        try (InputStream in = files.open(object(sha256), 0)) {
            copy(in, digest, OutputStream.nullOutputStream(), bytes + 1, lock);
        }
        return Hashing.finish(digest).equals(sha256);
    }

    /** Copies {@code most} bytes at most and says how many there were. */
    static long copy(InputStream in, MessageDigest digest, OutputStream out, long most, StoreFiles.Lock lock)
            throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        long done = 0;
        while (done < most) {
            int n = in.read(buffer, 0, (int) Math.min(buffer.length, most - done));
            if (n < 0) {
                break;
            }
            digest.update(buffer, 0, n);
            out.write(buffer, 0, n);
            lock.keep();
            done += n;
        }
        return done;
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
