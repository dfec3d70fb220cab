package org.bitwitness.recorder.train;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bitwitness.kernels.CombineResult;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.program.CombineRule;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.exchange.ShardPlan;
import org.bitwitness.recorder.exchange.ShardPlan.Segment;
import org.bitwitness.recorder.wire.Connection;
import org.bitwitness.recorder.wire.MeshMessages;
import org.bitwitness.recorder.wire.MessageType;
import org.bitwitness.recorder.wire.Messages;
import org.bitwitness.recorder.wire.PeerFailedException;

/**
 * Workers combine among themselves. Of every worker's gradient the coordinator gets the roots of all segments, each from the
 * worker that has received it, and puts them together to the gradient's root, which has to be the one that the worker itself
 * names. It receives the combined gradient once, from those that own its segments.
 */
final class MeshExchange implements CoordinatorExchange {
    private final Replica replica;
    private final WorkerGroup workers;
    private final ShardPlan plan;
    private final Gradients combined;
    private final CombineRule rule;
    private final boolean sharded;

    private MeshExchange(Replica replica, WorkerGroup workers, boolean sharded) {
        this.sharded = sharded;
        this.replica = replica;
        this.workers = workers;
        this.plan = ShardPlan.of(replica.engine().manifest(), replica.layout().size());
        this.combined = Gradients.zero(replica.engine().manifest());
        this.rule = RunSetup.reduction(replica.descriptor(), replica.layout().size());
    }

    /** Whether workers can combine among themselves; a rule that looks at whole gradients needs them in one place. */
    static boolean serves(Descriptor descriptor) {
        return StepEngine.combinesTensorwise(
                RunSetup.reduction(descriptor, descriptor.layout().size()));
    }

    /**
     * Connects the workers with each other.
     *
     * @param answerLimit of the coordinator; workers wait for each other half as long, so that they can say whom they wait for
     */
    static MeshExchange connect(Replica replica, WorkerGroup workers, ExchangeSetting setting, Duration answerLimit)
            throws RecorderException {
        byte[] random = new byte[Sha256.BYTES];
        new SecureRandom().nextBytes(random);
        Sha256 secret = Sha256.of(random);
        int count = replica.layout().size();
        long limit = Math.max(1, answerLimit.toMillis() / 2);
        List<MeshMessages.Peer> peers = workers.withEach((position, connection) -> {
            connection.send(
                    MessageType.MESH_OPEN,
                    new MeshMessages.Open(secret, position, count, workers.secure(), setting.bucketBytes(), limit)
                            .toBytes());
            return new MeshMessages.Peer(
                    connection.peer(), MeshMessages.At.read(connection.receive(MessageType.MESH_AT)));
        });
        byte[] all = MeshMessages.writePeers(peers);
        workers.withEach((_, connection) -> {
            connection.send(MessageType.MESH_PEERS, all);
            return connection.receive(MessageType.MESH_READY).length;
        });
        return new MeshExchange(replica, workers, setting.sharded());
    }

    @Override
    public void follow(int position, Connection connection, Messages.Gradient message) {
        // Its gradient is on the way to the workers that own its segments.
    }

    @Override
    public Reduced reduce(StepIndex step, List<Messages.Gradient> messages) throws RecorderException {
        List<MeshMessages.Shard> shards = workers.withEach((position, connection) -> {
            connection.send(MessageType.EXCHANGE, new byte[0]);
            MeshMessages.Shard shard = MeshMessages.Shard.read(connection.receive(MessageType.SHARD));
            requireWhole(step, position, shard);
            for (Segment segment : plan.ofOwner(position)) {
                connection.receiveFloats(combined.tensor(segment.parameter()), segment.offset(), segment.length());
            }
            return shard;
        });
        requireRoots(step, shards, messages);
        double sumOfSquares = 0.0;
        for (Segment segment : plan.segments()) {
            sumOfSquares = sumOfSquares + shards.get(segment.owner()).sums().get(segment.place());
        }
        Descriptor descriptor = replica.descriptor();
        CombineResult result =
                new CombineResult(combined, plan.workers(), exponents(shards), rule instanceof CombineRule.Robust);
        return new Reduced(
                StepEngine.reduceSegments(
                        combined,
                        sumOfSquares,
                        CoordinatorExchange.losses(messages),
                        descriptor.optimizer(),
                        descriptor.aggregation().averaging()),
                result.exponentsRoot());
    }

    @Override
    public boolean givesSums() {
        return false;
    }

    @Override
    public boolean sharesState() {
        return sharded;
    }

    private void requireWhole(StepIndex step, int position, MeshMessages.Shard shard) throws PeerFailedException {
        int segments = plan.ofOwner(position).size();
        boolean exact = rule instanceof CombineRule.Exact;
        if (!shard.step().equals(step)
                || shard.roots().size() != segments * plan.workers()
                || shard.sums().size() != segments
                || shard.exponents().size() != (exact ? segments : 0)) {
            throw new PeerFailedException(
                    "its share of step %s should have %d segments of %d workers, it sent %d roots and %d sums of step %s"
                            .formatted(
                                    step,
                                    segments,
                                    plan.workers(),
                                    shard.roots().size(),
                                    shard.sums().size(),
                                    shard.step()));
        }
    }

    private List<List<Integer>> exponents(List<MeshMessages.Shard> shards) {
        if (!(rule instanceof CombineRule.Exact)) {
            return List.of();
        }
        List<List<Integer>> out = new ArrayList<>();
        for (Parameter p : combined.manifest().parameters()) {
            out.add(plan.ofParameter(p.index()).stream()
                    .map(s -> shards.get(s.owner()).exponents().get(s.place()))
                    .toList());
        }
        return out;
    }

    /** What arrived at the others is what the worker says it has sent. */
    private void requireRoots(StepIndex step, List<MeshMessages.Shard> shards, List<Messages.Gradient> messages)
            throws RecorderException {
        for (int worker = 0; worker < messages.size(); worker++) {
            GradientRoot said = messages.get(worker).gradientRoot();
            GradientRoot found = gradientRoot(worker, shards);
            if (!said.equals(found)) {
                throw new RecorderException(
                        "the gradient of worker %s in step %s should have root %s, what arrived at the others has %s"
                                .formatted(replica.layout().workers().get(worker), step, said, found));
            }
        }
    }

    private GradientRoot gradientRoot(int worker, List<MeshMessages.Shard> shards) {
        Map<String, byte[]> leaves = new HashMap<>();
        for (Parameter p : combined.manifest().parameters()) {
            List<Sha256> roots = new ArrayList<>();
            for (Segment segment : plan.ofParameter(p.index())) {
                int owned = plan.ofOwner(segment.owner()).size();
                roots.add(shards.get(segment.owner()).roots().get(worker * owned + segment.place()));
            }
            leaves.put(p.name(), ShardPlan.leaf(p.name(), p, roots));
        }
        return new GradientRoot(TensorDigests.tensorsRoot(leaves));
    }
}
