package org.bitwitness.recorder.train;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.tensor.TensorDigests.F32Tensor;
import org.bitwitness.recorder.CheckpointRule;
import org.bitwitness.recorder.ModelIdentity;
import org.bitwitness.recorder.Recorder;
import org.bitwitness.recorder.RecorderException;

/**
 * Recording beside computing: one thread does the recorder's work in order while the next steps run. A failure there
 * stops the run at the next step; a checkpoint is a copy, so the next update does not touch it.
 */
final class RecordingLane {
    private static final int MAX_PENDING = 16;

    private final Recorder recorder;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("recording").factory());
    private final ArrayDeque<Future<?>> pending = new ArrayDeque<>();

    RecordingLane(Recorder recorder) {
        this.recorder = recorder;
    }

    @FunctionalInterface
    private interface Work {
        void run() throws RecorderException;
    }

    void record(StepIndex step, Layout layout, List<Steps.WorkerPart> parts, Steps.Reduced reduced, StateRoot after)
            throws RecorderException {
        submit(() -> {
            recorder.layout(step, layout);
            for (int i = 0; i < parts.size(); i++) {
                WorkerId worker = layout.workers().get(i);
                recorder.batch(step, worker, parts.get(i).microBatches());
                recorder.gradient(step, worker, parts.get(i).gradient());
            }
            recorder.reduction(step, reduced.facts());
            if (reduced.kept().isPresent()) {
                recorder.combined(step, reduced.kept().get());
            }
            recorder.stateAfter(step, after);
        });
    }

    void checkpointWhereWanted(Replica replica) throws RecorderException {
        Scalars scalars = replica.scalars();
        if (CheckpointRule.storesState(
                replica.descriptor(), scalars.stateIndex().value())) {
            HostState copy = replica.state().copy();
            submit(() -> {
                if (recorder.wantsCheckpoint()) {
                    recorder.checkpoint(scalars, RunStart.parameters(copy), RunStart.moments(copy));
                }
            });
        }
    }

    /** Waits until everything handed over is recorded. */
    void drain() throws RecorderException {
        while (!pending.isEmpty()) {
            await(pending.removeFirst());
        }
    }

    void finish(Replica replica, ModelIdentity identity) throws RecorderException {
        List<F32Tensor> parameters = RunStart.parameters(replica.state());
        submit(() -> recorder.finish(parameters, identity));
        drain();
        thread.shutdown();
    }

    /** Lets the work in progress end, without an interrupt that would cut a file short, and drops the rest. */
    void abandon() {
        pending.forEach(work -> work.cancel(false));
        thread.shutdown();
        try {
            boolean ended = thread.awaitTermination(1, TimeUnit.MINUTES);
            if (!ended) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            thread.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    private void submit(Work work) throws RecorderException {
        while (!pending.isEmpty()
                && (pending.size() >= MAX_PENDING || pending.getFirst().isDone())) {
            await(pending.removeFirst());
        }
        pending.addLast(thread.submit(() -> {
            work.run();
            return true;
        }));
    }

    private static void await(Future<?> work) throws RecorderException {
        try {
            work.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RecorderException failed) {
                throw failed;
            }
            throw new IllegalStateException("recording failed in a way of our own making", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RecorderException("interrupted while recording", e);
        }
    }
}
