package org.bitwitness.kernels.ptx.emulator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** Runs the blocks of a launch. Blocks share nothing but global memory, so how they are spread changes no bit. */
final class GridRun {
    private static final long MOST_REORDERED = 1 << 22;

    private final BlockRun.Launch launch;
    private final long blocks;

    GridRun(BlockRun.Launch launch) {
        this.launch = launch;
        this.blocks = launch.grid().blocks();
        if (launch.options().checked() && blocks > Stamp.MOST_BLOCKS) {
            throw new IllegalArgumentException(
                    "%d blocks are too many for the race checker, %d at most".formatted(blocks, Stamp.MOST_BLOCKS));
        }
    }

    /** The instructions run, over all threads. */
    long run() {
        int threads = (int) Math.min(launch.options().threads(), blocks);
        if (threads > 1) {
            return spread(threads);
        }
        BlockRun run = new BlockRun(launch);
        ThreadOrder order = launch.options().order();
        if (order.isLockstep()) {
            for (long i = 0; i < blocks; i++) {
                run.run(i);
            }
            return run.executed;
        }
        if (blocks > MOST_REORDERED) {
            throw new IllegalArgumentException("%d blocks are too many to reorder".formatted(blocks));
        }
        for (int i : order.sequence((int) blocks)) {
            run.run(i);
        }
        return run.executed;
    }

    private long spread(int threads) {
        AtomicLong next = new AtomicLong();
        List<Future<Long>> futures = new ArrayList<>();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            for (int t = 0; t < threads; t++) {
                futures.add(executor.submit(() -> {
                    BlockRun run = new BlockRun(launch);
                    for (long i = next.getAndIncrement(); i < blocks; i = next.getAndIncrement()) {
                        run.run(i);
                    }
                    return run.executed;
                }));
            }
        }
        long executed = 0;
        for (Future<Long> future : futures) {
            executed += result(future);
        }
        return executed;
    }

    private static long result(Future<Long> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a kernel ran", e);
        }
    }
}
