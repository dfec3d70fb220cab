package org.bitwitness.replayer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import org.bitwitness.kernels.StepEngine;

/**
 * Engines for the gradients of workers: one, or several that compute different workers of a step at the same time, each with
 * threads of its own. A small model keeps two threads busier with two workers than with one. No bit depends on it.
 */
final class WorkerEngines implements AutoCloseable {
    private final List<StepEngine> engines;
    private final List<StepEngine> owned;
    private final ExecutorService threads;

    private WorkerEngines(List<StepEngine> engines, List<StepEngine> owned) {
        this.engines = List.copyOf(engines);
        this.owned = List.copyOf(owned);
        this.threads = Executors.newCachedThreadPool(
                Thread.ofPlatform().daemon().name("worker-engine-", 0).factory());
    }

    /** One worker after the other, by an engine that somebody else closes. */
    static WorkerEngines one(StepEngine engine) {
        return new WorkerEngines(List.of(engine), List.of());
    }

    /** As many workers at a time as there are engines, which are closed with this. */
    static WorkerEngines sideBySide(List<StepEngine> engines) {
        return new WorkerEngines(engines, engines);
    }

    /** How many workers are computed at a time. */
    int count() {
        return engines.size();
    }

    /** The engine that computes the worker at this position. */
    StepEngine of(int position) {
        return engines.get(position % engines.size());
    }

    /**
     * Does {@code task} for every position, each on its engine, and waits for all.
     *
     * @param positions no more than {@link #count}, in a row
     * @return results in the order of the positions
     */
    <T> List<T> each(List<Integer> positions, BiFunction<StepEngine, Integer, T> task) {
        if (positions.size() == 1) {
            return List.of(task.apply(of(positions.getFirst()), positions.getFirst()));
        }
        List<Future<T>> running = new ArrayList<>();
        for (int position : positions) {
            running.add(threads.submit(() -> task.apply(of(position), position)));
        }
        List<T> results = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        boolean interrupted = false;
        // All have to end before anything is said: an engine must not go on when its arrays are used again.
        while (results.size() + failures.size() < running.size()) {
            try {
                results.add(running.get(results.size() + failures.size()).get());
            } catch (ExecutionException e) {
                failures.add(e.getCause());
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        for (Throwable failure : failures) {
            switch (failure) {
                case Error error -> throw error;
                case RuntimeException unchecked -> throw unchecked;
                default -> throw new IllegalStateException("a worker's gradient could not be computed", failure);
            }
        }
        return results;
    }

    @Override
    public void close() {
        threads.shutdownNow();
        owned.forEach(StepEngine::close);
    }
}
