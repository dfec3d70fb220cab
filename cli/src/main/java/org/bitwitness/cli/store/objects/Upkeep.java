package org.bitwitness.cli.store.objects;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.bitwitness.cli.run.fetch.CommitmentChain;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.record.FileEntry;

/** What is done to a store as a whole: forgetting a run, deleting what no run names, checking every byte. */
public final class Upkeep {
    private final ObjectStore store;

    public Upkeep(ObjectStore store) {
        this.store = store;
    }

    /** What lies in a store. {@code runBytes} counts a file as often as a run names it, {@code objectBytes} once. */
    public record Usage(int runs, long runBytes, int objects, long objectBytes, int unnamed, long unnamedBytes) {
        public double ratio() {
            return objectBytes == unnamedBytes ? 1 : runBytes / (double) (objectBytes - unnamedBytes);
        }
    }

    /** What was deleted, or would be. */
    public record Collected(int objects, long bytes, int manifests, int leftovers) {}

    /** What was read, what is wrong, and what only waits for gc. */
    public record Checked(int runs, int objects, long bytes, List<String> wrong, List<String> unnamed) {
        public Checked {
            wrong = List.copyOf(wrong);
            unnamed = List.copyOf(unnamed);
        }
    }

    public Usage usage() throws IOException, ProtocolException {
        Map<RunId, StoredRun> runs = store.runs();
        Set<String> named = named(runs.values());
        long objectBytes = 0;
        long unnamedBytes = 0;
        int unnamed = 0;
        Map<String, Long> objects = store.files().list(ObjectStore.OBJECTS);
        for (Map.Entry<String, Long> object : objects.entrySet()) {
            objectBytes += object.getValue();
            if (!named.contains(object.getKey())) {
                unnamed++;
                unnamedBytes += object.getValue();
            }
        }
        long runBytes = runs.values().stream().mapToLong(StoredRun::bytes).sum();
        return new Usage(runs.size(), runBytes, objects.size(), objectBytes, unnamed, unnamedBytes);
    }

    /** Takes a run off the list; its objects stay until gc. */
    public void remove(StoredRun run) throws IOException, ProtocolException, CommandFailure {
        try (StoreFiles.Lock lock = store.files().lock(false)) {
            // The newest last: while it is there, so is the run.
            TreeMap<Long, List<String>> names = new TreeMap<>();
            for (RunManifest.Name name : store.named(run.runId().hex())) {
                names.computeIfAbsent(name.commitments(), _ -> new ArrayList<>())
                        .add(name.text());
            }
            for (String name : names.values().stream().flatMap(List::stream).toList()) {
                lock.keep();
                store.files().delete(name);
            }
        }
    }

    /**
     * Deletes what no run names. Nobody adds meanwhile, so what is unnamed stays so; and a manifest that cannot be read
     * stops it, since nobody knows what that one names. An older manifest goes when the newest one names all of its files; one
     * that has others stays with them, since nobody has looked at signatures and the newest may be a forgery.
     */
    public Collected collect(boolean dryRun) throws IOException, ProtocolException {
        try (StoreFiles.Lock lock = store.files().lock(true)) {
            Map<RunId, StoredRun> runs = store.runs();
            List<StoredRun> kept = new ArrayList<>(runs.values());
            List<String> manifests = new ArrayList<>();
            for (RunManifest.Name name : store.manifests()) {
                RunManifest newest =
                        Objects.requireNonNull(runs.get(name.runId())).manifest();
                RunManifest manifest = store.manifest(name);
                if (manifest.equals(newest)) {
                    continue;
                }
                if (Set.copyOf(newest.files()).containsAll(manifest.files())) {
                    manifests.add(name.text());
                } else {
                    kept.add(new StoredRun(store, manifest));
                }
            }
            Set<String> named = named(kept);
            int leftovers = store.files().leftovers();
            int objects = 0;
            long bytes = 0;
            Collection<String> doomed = new ArrayList<>(manifests);
            for (Map.Entry<String, Long> object :
                    store.files().list(ObjectStore.OBJECTS).entrySet()) {
                if (isObject(object.getKey()) && !named.contains(object.getKey())) {
                    doomed.add(object.getKey());
                    objects++;
                    bytes += object.getValue();
                }
            }
            if (!dryRun) {
                for (String name : doomed) {
                    lock.keep();
                    store.files().delete(name);
                }
                store.files().deleteLeftovers();
            }
            return new Collected(objects, bytes, manifests.size(), leftovers);
        }
    }

    /** Reads every byte. What is wrong is named; it does not keep the rest from being read. */
    public Checked check() throws IOException, ProtocolException {
        try (StoreFiles.Lock lock = store.files().lock(false)) {
            List<String> wrong = new ArrayList<>();
            Map<Sha256, FileEntry> needed = new TreeMap<>();
            int runs = 0;
            for (String file : store.files().list(RunManifest.FOLDER).keySet()) {
                var name = RunManifest.Name.parse(file);
                if (name.isEmpty()) {
                    wrong.add(file + ": not a name that a store gives");
                    continue;
                }
                runs++;
                checkRun(name.get(), needed, wrong);
            }
            List<String> unnamed = new ArrayList<>();
            long bytes = checkObjects(needed, wrong, unnamed, lock);
            return new Checked(runs, needed.size(), bytes, wrong, unnamed);
        }
    }

    private void checkRun(RunManifest.Name name, Map<Sha256, FileEntry> needed, List<String> wrong)
            throws IOException, ProtocolException {
        try {
            RunManifest manifest = store.manifest(name);
            for (FileEntry file : manifest.files()) {
                FileEntry other = needed.putIfAbsent(file.sha256(), file);
                if (other != null && other.bytes() != file.bytes()) {
                    wrong.add("%s: %s has %d bytes, and %d under another name with the same SHA-256"
                            .formatted(name.text(), file.path(), file.bytes(), other.bytes()));
                }
            }
            checkChain(manifest, name.text(), wrong);
        } catch (ProtocolException e) {
            if (!e.blamesTheBytes()) {
                throw e;
            }
            wrong.add(e.getMessage());
        }
    }

    /** The commitments, if they can be read, say which files the manifest must have. */
    private void checkChain(RunManifest manifest, String name, List<String> wrong) throws IOException {
        Set<RecordingPath> own = new TreeSet<>();
        try {
            CommitmentChain chain =
                    CommitmentChain.read(new StoredRun(store, manifest), (path, bytes) -> own.add(path));
            List<FileEntry> files = new ArrayList<>(chain.listed().values());
            manifest.files().stream().filter(file -> own.contains(file.path())).forEach(files::add);
            if (!RunManifest.of(chain.runId(), chain.commitments(), files).equals(manifest)) {
                wrong.add(name + ": does not name the files that its commitments list");
            }
        } catch (java.io.FileNotFoundException e) {
            // The missing object is named with all others.
            return;
        } catch (ProtocolException | CommandFailure e) {
            wrong.add("%s: %s".formatted(name, e.getMessage()));
        }
    }

    private long checkObjects(
            Map<Sha256, FileEntry> needed, List<String> wrong, List<String> unnamed, StoreFiles.Lock lock)
            throws IOException {
        long bytes = 0;
        Map<String, Long> there = store.files().list(ObjectStore.OBJECTS);
        for (FileEntry file : needed.values()) {
            if (!there.containsKey(ObjectStore.object(file.sha256()))) {
                wrong.add("%s: missing; %s is this file".formatted(ObjectStore.object(file.sha256()), file.path()));
            }
        }
        for (Map.Entry<String, Long> object : there.entrySet()) {
            if (!isObject(object.getKey())) {
                wrong.add(object.getKey() + ": not a name that a store gives");
                continue;
            }
            Sha256 sha256 =
                    Sha256.ofHex(object.getKey().substring(object.getKey().lastIndexOf('/') + 1));
            FileEntry file = needed.get(sha256);
            String what = file == null ? "no run names it" : file.path() + " is this file";
            long size = file == null ? object.getValue() : file.bytes();
            bytes += object.getValue();
            if (object.getValue() != size) {
                wrong.add("%s: should have %d bytes, has %d; %s"
                        .formatted(object.getKey(), size, object.getValue(), what));
            } else if (!store.isWhole(sha256, size, lock)) {
                wrong.add("%s: its bytes have another SHA-256; %s".formatted(object.getKey(), what));
            } else if (file == null) {
                unnamed.add(object.getKey() + ": no run names it; store gc deletes it");
            }
        }
        return bytes;
    }

    private static boolean isObject(String name) {
        String hex = name.substring(name.lastIndexOf('/') + 1);
        return Sha256.isHex(hex) && name.equals(ObjectStore.object(Sha256.ofHex(hex)));
    }

    private static Set<String> named(Collection<StoredRun> runs) {
        Set<String> named = new HashSet<>();
        runs.forEach(run -> run.manifest().files().forEach(file -> named.add(ObjectStore.object(file.sha256()))));
        return named;
    }
}
