package org.bitwitness.kernels.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.tensor.TensorDigests;

/** Hashes every output of every operator. One instance traces one worker's step. */
public final class TraceHasher implements TraceSink {
    private final List<TraceEntry> entries = new ArrayList<>();
    private final Executor executor;

    /** Hashes on the calling thread. */
    public TraceHasher() {
        this(Runnable::run);
    }

    /** Hashes the outputs of an entry as tasks of {@code executor} and waits for them; roots do not depend on it. */
    public TraceHasher(Executor executor) {
        this.executor = executor;
    }

    @Override
    public void operator(OperatorEvent event) {
        if (event.entry().index() != entries.size()) {
            throw new IllegalStateException("expected trace entry %d, got %d: use one hasher per worker and step"
                    .formatted(entries.size(), event.entry().index()));
        }
        List<CompletableFuture<Sha256>> roots = new ArrayList<>();
        for (Supplier<float[]> output : event.outputs()) {
            float[] data = output.get();
            roots.add(CompletableFuture.supplyAsync(() -> TensorDigests.tensorRoot(data, 0, data.length), executor));
        }
        entries.add(new TraceEntry(
                event.entry(),
                event.workerPosition(),
                roots.stream().map(CompletableFuture::join).toList()));
    }

    /** The trace after {@code emit}. */
    public WorkerTrace finish() {
        return new WorkerTrace(entries);
    }
}
