package org.bitwitness.recorder.train;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.exchange.ShardPlan;
import org.bitwitness.recorder.exchange.ShardPlan.Segment;
import org.bitwitness.recorder.wire.StateMessages.Held;

/**
 * Holds what the workers say they hold against the coordinator's own state. Whole replicas have to have its root. Of shares the
 * parameters have to be its parameters, and the root of every segment of every moment that of the segment here.
 */
final class HeldStates {
    private final Replica replica;
    private final Optional<ShardPlan> shares;
    private final Map<String, byte[]> leaves;
    private final StateRoot root;

    private HeldStates(Replica replica, Optional<ShardPlan> shares) {
        this.replica = replica;
        this.shares = shares;
        this.leaves =
                shares.isPresent() ? TensorDigests.leaves(replica.state().tensors(), replica.executor()) : Map.of();
        this.root = shares.isPresent() ? replica.stateRoot(TensorDigests.tensorsRoot(leaves)) : replica.stateRoot();
    }

    /**
     * Hashes the coordinator's state, where the run is recorded.
     *
     * @param sharded whether every worker keeps a share of the moments
     */
    static HeldStates of(Replica replica, boolean sharded) {
        return new HeldStates(
                replica,
                sharded && replica.isRecorded()
                        ? Optional.of(ShardPlan.of(
                                replica.engine().manifest(), replica.layout().size()))
                        : Optional.empty());
    }

    StateRoot root() {
        return root;
    }

    /** @param held in layout order */
    void requireEqual(List<Held> held, String when) throws RecorderException {
        if (shares.isPresent()) {
            requireShares(shares.get(), held, when);
            return;
        }
        for (int i = 0; i < held.size(); i++) {
            if (!held.get(i).root().equals(root.digest())) {
                throw differs(when, i, "state root " + held.get(i).root(), root.digest());
            }
        }
    }

    private void requireShares(ShardPlan plan, List<Held> held, String when) throws RecorderException {
        List<String> prefixes = replica.descriptor().optimizer().momentPrefixes();
        Map<String, byte[]> ofParameters = new HashMap<>(leaves);
        ofParameters
                .keySet()
                .retainAll(parameters().stream().map(Parameter::name).toList());
        Sha256 own = TensorDigests.tensorsRoot(ofParameters);
        for (int i = 0; i < held.size(); i++) {
            int wanted = prefixes.size() * plan.ofOwner(i).size();
            if (held.get(i).moments().size() != wanted) {
                throw new RecorderException("%s, worker %s should hold %d segments of moments, it has %d"
                        .formatted(
                                when, worker(i), wanted, held.get(i).moments().size()));
            }
        }
        // First what says whose it is: an owner whose moments are wrong gave everybody wrong parameters.
        for (int kind = 0; kind < prefixes.size(); kind++) {
            for (Parameter p : parameters()) {
                requireMoment(plan, held, new Moment(kind, prefixes.get(kind), p), when);
            }
        }
        for (int i = 0; i < held.size(); i++) {
            if (!held.get(i).root().equals(own)) {
                throw new RecorderException(
                        ("%s, worker %s has parameters with root %s, the coordinator %s: it got them from the owners of"
                                        + " their segments, so any of the workers or this machine may be faulty; nothing"
                                        + " after the last commitment is kept")
                                .formatted(when, worker(i), held.get(i).root(), own));
            }
        }
    }

    private record Moment(int kind, String prefix, Parameter parameter) {
        private String name() {
            return prefix + parameter.name();
        }
    }

    /** A whole segment is a whole subtree of the tensor's tree, so the roots of its segments give the tensor's leaf. */
    private void requireMoment(ShardPlan plan, List<Held> held, Moment moment, String when) throws RecorderException {
        Parameter p = moment.parameter();
        List<Sha256> roots = new ArrayList<>();
        for (Segment segment : plan.ofParameter(p.index())) {
            int owned = plan.ofOwner(segment.owner()).size();
            roots.add(held.get(segment.owner()).moments().get(moment.kind() * owned + segment.place()));
        }
        if (Arrays.equals(ShardPlan.leaf(moment.name(), p, roots), leaves.get(moment.name()))) {
            return;
        }
        float[] own = replica.state().moment(moment.prefix(), p.index());
        for (int i = 0; i < roots.size(); i++) {
            Segment segment = plan.ofParameter(p.index()).get(i);
            Sha256 here = TensorDigests.tensorRoot(own, segment.offset(), segment.length());
            if (!roots.get(i).equals(here)) {
                String what = "elements %d to %d of %s with root %s"
                        .formatted(
                                segment.offset(), segment.offset() + segment.length() - 1, moment.name(), roots.get(i));
                throw differs(when, segment.owner(), what, here);
            }
        }
        throw new IllegalStateException(moment.name() + " differs, and none of its segments does");
    }

    private List<Parameter> parameters() {
        return replica.engine().manifest().parameters();
    }

    private WorkerId worker(int position) {
        return replica.layout().workers().get(position);
    }

    private RecorderException differs(String when, int position, String found, Sha256 own) {
        return new RecorderException(
                ("%s, worker %s has %s, the coordinator %s: one of the two machines or their Java is faulty; nothing"
                                + " after the last commitment is kept")
                        .formatted(when, worker(position), found, own));
    }
}
