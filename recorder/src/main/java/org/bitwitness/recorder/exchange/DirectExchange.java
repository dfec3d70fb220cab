package org.bitwitness.recorder.exchange;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.IntFunction;
import org.bitwitness.kernels.GradientListener;
import org.bitwitness.kernels.SegmentSum;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.program.CombineRule;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.Averaging;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.recorder.exchange.ShardPlan.Segment;
import org.bitwitness.recorder.wire.Connection;
import org.bitwitness.recorder.wire.MeshMessages;
import org.bitwitness.recorder.wire.PeerLostException;

/**
 * One worker's part in the exchange. In every step: {@link #begin}, then every parameter's gradient as it becomes final, {@link
 * #combine}, {@link #awaitCombined}.
 */
public final class DirectExchange implements AutoCloseable {
    private final ShardPlan plan;
    private final int self;
    private final Duration limit;
    private final List<Optional<Link>> links = new ArrayList<>();
    // By place, used again in every step: when one begins, everybody has received what the step before gave.
    private final float[][] own;
    private final float[][] sums;

    private record Link(Connection connection, Inbox inbox, Outbox outbox) {}

    /**
     * Takes over the connections.
     *
     * @param connections to every other worker in layout order; empty at this worker's own place
     */
    public DirectExchange(ShardPlan plan, MeshMessages.Open mesh, List<Optional<Connection>> connections) {
        this.plan = plan;
        this.self = mesh.position();
        this.limit = Duration.ofMillis(mesh.limitMillis());
        this.own = arrays(plan.ofOwner(self));
        this.sums = arrays(plan.ofOwner(self));
        for (int peer = 0; peer < connections.size(); peer++) {
            int at = peer;
            links.add(connections.get(peer).map(connection -> {
                Inbox inbox = new Inbox(plan, self, at, connection);
                inbox.start();
                return new Link(connection, inbox, new Outbox(connection, mesh.bucketBytes(), inbox::fail));
            }));
        }
    }

    /** What this worker made of its segments, and the segments themselves. */
    public record Combined(MeshMessages.Shard shard, List<SegmentSum> sums) {
        public Combined {
            sums = List.copyOf(sums);
        }
    }

    /** Opens a step. The listener sends what it is told of to whoever combines it. */
    public GradientListener begin(StepIndex step) {
        each(link -> link.inbox().begin(step));
        return (parameter, gradient) -> {
            for (Segment segment : plan.ofParameter(parameter)) {
                links.get(segment.owner())
                        .ifPresent(link ->
                                link.outbox().put(step, false, new Outbox.Part(segment, gradient, segment.offset())));
            }
        };
    }

    /**
     * Waits for everybody's numbers in this worker's segments, combines them in the recorded order and, by the rule, sends the
     * sums to all. To be called when every worker has computed its gradient.
     *
     * @param gradient this worker's, every parameter of which has been told to the listener; from here on the others' sums are
     *     written into it where they come
     * @throws PeerLostException naming the worker that is gone or silent
     */
    public Combined combine(StepIndex step, Gradients gradient, StepEngine engine, Rule rule) throws PeerLostException {
        each(link -> link.outbox().flush(step, false));
        if (rule.givesSums()) {
            each(link -> link.inbox().combinedInto(gradient::tensor));
        }
        for (Optional<Link> link : links) {
            if (link.isPresent()) {
                link.get().inbox().awaitContributions(limit);
            }
        }
        List<Segment> mine = plan.ofOwner(self);
        List<List<float[]>> bySegment =
                mine.stream().map(s -> byWorker(s, gradient)).toList();
        CompletableFuture<List<Sha256>> roots = roots(bySegment, rule.hashing());
        List<SegmentSum> combined = new ArrayList<>();
        for (Segment segment : mine) {
            SegmentSum sum = engine.combineSegment(
                    bySegment.get(segment.place()), rule.combine(), rule.averaging(), sums[segment.place()]);
            System.arraycopy(sum.data(), 0, gradient.tensor(segment.parameter()), segment.offset(), segment.length());
            if (rule.givesSums()) {
                each(link -> link.outbox().put(step, true, new Outbox.Part(segment, sum.data(), 0)));
            }
            combined.add(sum);
        }
        each(link -> link.outbox().flush(step, true));
        return new Combined(
                new MeshMessages.Shard(
                        step,
                        roots.join(),
                        combined.stream().map(SegmentSum::sumOfSquares).toList(),
                        combined.stream()
                                .flatMapToInt(s -> s.exponent().stream())
                                .boxed()
                                .toList()),
                combined);
    }

    /**
     * How gradients become one.
     *
     * @param givesSums whether all get the sums; else each owner updates its part of the state by its own, and all get that
     * @param hashing where roots are computed
     */
    public record Rule(CombineRule combine, Averaging averaging, boolean givesSums, Executor hashing) {}

    /**
     * Gives this worker's segments of the updated parameters to all; {@link #awaitCombined} waits for theirs.
     *
     * @param own by place; nobody changes them before the next {@link #combine}
     * @param parameters where the others' segments go
     */
    public void giveParameters(StepIndex step, List<float[]> own, IntFunction<float[]> parameters) {
        each(link -> link.inbox().combinedInto(parameters));
        for (Segment segment : plan.ofOwner(self)) {
            Outbox.Part part = new Outbox.Part(segment, own.get(segment.place()), 0);
            each(link -> link.outbox().put(step, true, part));
        }
        each(link -> link.outbox().flush(step, true));
    }

    /** Ends a step in which nothing more comes. */
    public void end() {
        each(link -> link.inbox().end());
    }

    /** Waits until everybody's segments have come after combining, and ends the step. */
    public void awaitCombined() throws PeerLostException {
        for (Optional<Link> link : links) {
            if (link.isPresent()) {
                link.get().inbox().awaitCombined(limit);
            }
        }
        end();
    }

    @Override
    public void close() throws IOException {
        for (Optional<Link> link : links) {
            if (link.isPresent()) {
                link.get().inbox().fail(new IOException("closed"));
                link.get().outbox().close();
                link.get().connection().close();
            }
        }
    }

    /** Everybody's numbers of a segment in layout order; this worker's own as a copy, since the sum takes their place. */
    private List<float[]> byWorker(Segment segment, Gradients gradient) {
        float[] copy = own[segment.place()];
        System.arraycopy(gradient.tensor(segment.parameter()), segment.offset(), copy, 0, segment.length());
        List<float[]> out = new ArrayList<>();
        for (Optional<Link> link : links) {
            out.add(link.map(l -> l.inbox().contribution(segment.place())).orElse(copy));
        }
        return out;
    }

    private static float[][] arrays(List<Segment> segments) {
        return segments.stream().map(s -> new float[s.length()]).toArray(float[][]::new);
    }

    /** Worker by worker. */
    private CompletableFuture<List<Sha256>> roots(List<List<float[]>> bySegment, Executor executor) {
        List<CompletableFuture<Sha256>> tasks = new ArrayList<>();
        for (int worker = 0; worker < links.size(); worker++) {
            for (List<float[]> segment : bySegment) {
                float[] data = segment.get(worker);
                tasks.add(
                        CompletableFuture.supplyAsync(() -> TensorDigests.tensorRoot(data, 0, data.length), executor));
            }
        }
        return CompletableFuture.allOf(tasks.toArray(CompletableFuture[]::new))
                .thenApply(_ -> tasks.stream().map(CompletableFuture::join).toList());
    }

    private interface LinkUse {
        void of(Link link);
    }

    private void each(LinkUse use) {
        links.forEach(link -> link.ifPresent(use::of));
    }
}
