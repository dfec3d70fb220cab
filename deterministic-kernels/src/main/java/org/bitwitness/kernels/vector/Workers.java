package org.bitwitness.kernels.vector;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A fixed team of threads that splits one operator's outputs among themselves: the caller and {@code threads − 1}
 * daemons that sleep between steps. Which thread computes an output never matters to its bits, since every task owns
 * its outputs and reads only finished inputs.
 *
 * <p>One caller at a time. Operators last microseconds, so a thread out of work spins shortly before it parks.
 */
final class Workers implements AutoCloseable {
    /** One piece of an operator; {@code worker} is 0 … threads − 1 and picks that thread's scratch memory. */
    @FunctionalInterface
    interface Task {
        void run(int index, int worker);
    }

    private static final int SPINS = 20_000;
    private static final Task NOTHING = (index, worker) -> {};

    private final Helper[] helpers;
    private final AtomicInteger nextIndex = new AtomicInteger();
    private final AtomicInteger busyHelpers = new AtomicInteger();
    private Task task = NOTHING;
    private int taskCount;
    private final AtomicInteger round = new AtomicInteger();
    private volatile boolean closed;

    Workers(int threads) {
        if (threads < 1 || threads > 1024) {
            throw new IllegalArgumentException("need 1 to 1024 threads, got " + threads);
        }
        helpers = new Helper[threads - 1];
        for (int i = 0; i < helpers.length; i++) {
            helpers[i] = new Helper(i + 1);
            helpers[i].setDaemon(true);
            helpers[i].start();
        }
    }

    int threads() {
        return helpers.length + 1;
    }

    /**
     * Runs tasks 0 … {@code count − 1}, each once, in any order, and returns when all are done.
     *
     * @throws RuntimeException what a task threw, wrapped when another thread ran it
     */
    void run(int count, Task work) {
        if (helpers.length == 0 || count <= 1) {
            for (int i = 0; i < count; i++) {
                work.run(i, 0);
            }
            return;
        }
        task = work;
        taskCount = count;
        nextIndex.set(0);
        busyHelpers.set(helpers.length);
        round.incrementAndGet();
        for (Helper helper : helpers) {
            helper.wake();
        }
        try {
            takeTasks(0);
        } finally {
            awaitHelpers();
            task = NOTHING;
        }
        rethrowFailures();
    }

    private void takeTasks(int worker) {
        for (int i = nextIndex.getAndIncrement(); i < taskCount; i = nextIndex.getAndIncrement()) {
            task.run(i, worker);
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // a hint only: with fewer cores than threads the helper needs this one
    private void awaitHelpers() {
        for (int spins = 0; busyHelpers.get() > 0; spins++) {
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    private void rethrowFailures() {
        for (Helper helper : helpers) {
            Optional<Throwable> failure = helper.takeFailure();
            if (failure.isPresent()) {
                throw new IllegalStateException("a kernel thread failed: " + failure.get(), failure.get());
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        for (Helper helper : helpers) {
            LockSupport.unpark(helper);
        }
    }

    private final class Helper extends Thread {
        private final int worker;
        private volatile boolean parked;
        private volatile Optional<Throwable> failure = Optional.empty();

        Helper(int worker) {
            super("bitwitness-kernel-" + worker);
            this.worker = worker;
        }

        private void wake() {
            if (parked) {
                LockSupport.unpark(this);
            }
        }

        private Optional<Throwable> takeFailure() {
            Optional<Throwable> taken = failure;
            failure = Optional.empty();
            return taken;
        }

        @Override
        public void run() {
            int seen = 0;
            while (awaitRound(seen)) {
                seen++;
                try {
                    takeTasks(worker);
                } catch (RuntimeException | Error thrown) {
                    failure = Optional.of(thrown);
                }
                busyHelpers.decrementAndGet();
            }
        }

        private boolean awaitRound(int seen) {
            for (int spins = 0; round.get() == seen; spins++) {
                if (closed) {
                    return false;
                }
                if (spins < SPINS) {
                    Thread.onSpinWait();
                } else {
                    parked = true;
                    if (round.get() == seen && !closed) {
                        LockSupport.park(this);
                    }
                    parked = false;
                }
            }
            return true;
        }
    }
}
