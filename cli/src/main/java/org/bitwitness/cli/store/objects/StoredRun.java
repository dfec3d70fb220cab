package org.bitwitness.cli.store.objects;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.cli.run.fetch.RecordingSource;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.record.FileEntry;

/** A run in a store, as a recording that can be fetched like any other: nothing that it says is believed. */
public final class StoredRun implements RecordingSource {
    private final ObjectStore store;
    private final RunManifest manifest;
    private final Map<RecordingPath, FileEntry> files;

    StoredRun(ObjectStore store, RunManifest manifest) {
        this.store = store;
        this.manifest = manifest;
        this.files = manifest.byPath();
    }

    public RunId runId() {
        return manifest.runId();
    }

    public long commitments() {
        return manifest.commitments();
    }

    public int fileCount() {
        return files.size();
    }

    public long bytes() {
        return manifest.bytes();
    }

    RunManifest manifest() {
        return manifest;
    }

    @Override
    public boolean exists(RecordingPath path) {
        return files.containsKey(path);
    }

    @Override
    public InputStream open(RecordingPath path, long offset) throws IOException {
        FileEntry file = Optional.ofNullable(files.get(path))
                .orElseThrow(() -> new FileNotFoundException(
                        "%s: not among the files of run %s in %s".formatted(path, runId(), store.describe())));
        String object = ObjectStore.object(file.sha256());
        if (store.files().size(object).isEmpty()) {
            throw new FileNotFoundException("%s: its object %s is missing in %s: store check lists what is"
                    .formatted(path, object, store.describe()));
        }
        return store.files().open(object, offset);
    }

    @Override
    public String describe() {
        return "run %s in %s".formatted(runId(), store.describe());
    }

    @Override
    public void close() {
        // The store is closed by whoever opened it.
    }
}
