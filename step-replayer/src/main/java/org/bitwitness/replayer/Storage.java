package org.bitwitness.replayer;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.protocol.record.OptimizerSpec;

/** Where the states and gradients of a replay are: in memory, or in a temporary file that ends with it. */
final class Storage implements AutoCloseable {
    private final Optional<SpillFile> file;
    private final boolean pages;
    private final Deque<String> free = new ArrayDeque<>();
    private final Map<HostState, String> regions = new HashMap<>();
    // In memory: states whose arrays may be overwritten.
    private final Deque<HostState> spares = new ArrayDeque<>();
    private int made;
    private int gradientsMade;

    /** @param pages whether engines keep gradients in the file themselves */
    Storage(Optional<SpillFile> file, boolean pages) {
        this.file = file;
        this.pages = pages;
    }

    static Storage inMemory() {
        return new Storage(Optional.empty(), false);
    }

    static Storage of(Manner manner) {
        Path folder = Path.of(System.getProperty("java.io.tmpdir", "."));
        return new Storage(manner.spills() ? Optional.of(SpillFile.in(folder)) : Optional.empty(), manner.pages());
    }

    /** Tells an engine what to hold in memory, before it computes. */
    void prepare(StepEngine engine, Manner manner) {
        engine.economize(manner.economy());
        if (pages) {
            ParameterManifest manifest = engine.manifest();
            engine.gradientsIn(() ->
                    Gradients.in(file.orElseThrow().bank("paged gradient " + gradientsMade++, manifest), manifest));
        }
    }

    boolean spills() {
        return file.isPresent();
    }

    /** Room for a state, to be filled. */
    HostState state(ParameterManifest manifest, OptimizerSpec optimizer, long updateCount) {
        if (file.isEmpty()) {
            return HostState.zero(manifest, optimizer, updateCount);
        }
        String region = free.isEmpty() ? "state " + made++ : free.pop();
        HostState state =
                HostState.in(prefix -> file.get().bank(region + prefix, manifest), manifest, optimizer, updateCount);
        regions.put(state, region);
        return state;
    }

    /** The same state in memory, where an update may change it. */
    HostState copy(HostState state) {
        if (spares.isEmpty()) {
            return state.copy();
        }
        HostState copy = spares.pop();
        state.copyTo(copy);
        return copy;
    }

    /** Takes back the room of a state that nobody reads any more. */
    void release(HostState state) {
        if (file.isEmpty()) {
            spares.push(state);
            return;
        }
        String region = regions.remove(state);
        if (region != null) {
            free.push(region);
        }
    }

    /** The same gradient in memory, for rules that look at whole gradients. */
    Gradients whole(Gradients gradients, StepEngine engine) {
        if (gradients.inMemory()) {
            return gradients;
        }
        Gradients whole = gradients.copy();
        engine.recycle(gradients);
        return whole;
    }

    /** Whether an engine may overwrite this gradient later. */
    boolean recyclesFromWorkers(Gradients gradients) {
        return pages ? !gradients.inMemory() : file.isEmpty();
    }

    /** Whether an engine may overwrite what it combined. */
    boolean recyclesCombined(Gradients combined) {
        // In memory combining makes its own arrays, which nobody would take again.
        return pages ? !combined.inMemory() : file.isPresent();
    }

    /** Keeps a worker's gradient; {@code engine} gets its arrays back for the next worker where they are not kept. */
    Gradients keep(Gradients gradients, int position, StepEngine engine) {
        if (file.isEmpty() || !gradients.inMemory()) {
            return gradients;
        }
        Gradients kept = gradients.keptIn(file.get().bank("gradient " + position, gradients.manifest()));
        engine.recycle(gradients);
        return kept;
    }

    @Override
    public void close() {
        file.ifPresent(SpillFile::close);
    }
}
