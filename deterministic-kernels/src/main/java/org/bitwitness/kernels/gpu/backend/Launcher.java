package org.bitwitness.kernels.gpu.backend;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.gpu.Block;
import org.bitwitness.kernels.gpu.GpuDevice;
import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.gpu.GpuFailure;
import org.bitwitness.kernels.gpu.Grid;
import org.bitwitness.kernels.gpu.KernelArg;
import org.bitwitness.kernels.gpu.KernelLaunch;
import org.bitwitness.kernels.gpu.PtxModule;
import org.bitwitness.kernels.op.DropoutSite;

/** The launch shapes that kernels have in common. Geometry never changes a bit; it is stated in each kernel's header. */
final class Launcher {
    static final int CHUNK = 512;
    static final int SEGMENT = 65_536;

    private static final int THREADS = 256;
    private static final int ROW_THREADS = 128;
    private static final int WARP = 32;

    private final GpuDevice device;
    private final Map<String, PtxModule> moduleOf;
    private final Set<String> loaded = new HashSet<>();

    Launcher(GpuDevice device, Map<String, PtxModule> moduleOf) {
        this.device = device;
        this.moduleOf = moduleOf;
    }

    /** One thread an element. */
    void elements(String kernel, long count, KernelArg... args) {
        grid(kernel, Grid.of(blocks(count, THREADS)), Block.of(THREADS), args);
    }

    /** One warp a row. */
    void warpPerRow(String kernel, int rows, KernelArg... args) {
        grid(kernel, Grid.of(blocks(rows, ROW_THREADS / WARP)), Block.of(ROW_THREADS), args);
    }

    /** One block of 128 threads, thread l being lane l, for each row or segment. */
    void blockPerRow(String kernel, int rows, KernelArg... args) {
        grid(kernel, Grid.of(rows), Block.of(ROW_THREADS), args);
    }

    void grid(String kernel, Grid grid, Block block, KernelArg... args) {
        // A driver translates a module when it is loaded, which takes a while: only what is launched is loaded.
        if (!loaded.contains(kernel)) {
            PtxModule module = moduleOf.get(kernel);
            if (module == null) {
                throw new GpuException(new GpuFailure.LaunchFailed(
                        kernel, "no module of this installation has it: install the release again"));
            }
            device.load(module);
            loaded.add(kernel);
        }
        device.launch(new KernelLaunch(kernel, grid, block, List.of(args)));
    }

    /** Chunks of 512 that a DOT over {@code length} indices has. */
    static int chunks(int length) {
        return Math.ceilDiv(length, CHUNK);
    }

    /** Segments of 65,536 elements. */
    static int segments(int size) {
        return Math.ceilDiv(size, SEGMENT);
    }

    static int blocks(long count, int each) {
        return Math.toIntExact(Math.ceilDiv(count, each));
    }

    /** The eight parameters that every kernel with dropout ends with. */
    static KernelArg[] dropout(DropoutSite site, OperatorContext context) {
        return new KernelArg[] {
            KernelArg.of(site.active() ? 1 : 0),
            KernelArg.of(site.operator()),
            KernelArg.of(site.thresholdWord()),
            KernelArg.of(site.scale()),
            KernelArg.of((int) context.updateCount()),
            KernelArg.of(context.philoxWorkerWord()),
            KernelArg.of((int) context.dropoutSeed()),
            KernelArg.of((int) (context.dropoutSeed() >>> 32))
        };
    }

    static KernelArg[] join(KernelArg[] first, KernelArg... rest) {
        return Stream.concat(Arrays.stream(first), Arrays.stream(rest)).toArray(KernelArg[]::new);
    }
}
