package org.bitwitness.recorder.train;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.bitwitness.kernels.StateSegment;
import org.bitwitness.kernels.UpdateRequest;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.record.PlantedFault.BitPlace;
import org.bitwitness.protocol.tensor.TensorDigests;
import org.bitwitness.recorder.exchange.ShardPlan;
import org.bitwitness.recorder.exchange.ShardPlan.Segment;
import org.bitwitness.recorder.wire.Connection;
import org.bitwitness.recorder.wire.StateMessages;

/**
 * The moments of the segments that one worker owns, beside a replica that has parameters only. An update is in two phases, since
 * it is valid only if it is for every worker: {@link #updatable}, which changes nothing, then {@link #update}.
 */
final class OptimizerShare {
    private final Replica replica;
    private final List<String> prefixes;
    private final List<Segment> segments;
    /** By kind of moment, then by place. */
    private final List<List<float[]>> moments = new ArrayList<>();

    private OptimizerShare(Replica replica, ShardPlan plan, int position) {
        this.replica = replica;
        this.prefixes = replica.descriptor().optimizer().momentPrefixes();
        this.segments = plan.ofOwner(position);
        for (int kind = 0; kind < prefixes.size(); kind++) {
            moments.add(segments.stream().map(s -> new float[s.length()]).toList());
        }
    }

    /** All +0: to be filled, see {@link #tensors}. */
    static OptimizerShare empty(Replica replica, int workers, int position) {
        return new OptimizerShare(replica, ShardPlan.of(replica.engine().manifest(), workers), position);
    }

    /** Sends out of a whole state what {@link #tensors} of a share receives. */
    static void send(HostState state, OptimizerSpec optimizer, List<Segment> segments, Connection to)
            throws IOException {
        for (String prefix : optimizer.momentPrefixes()) {
            for (Segment segment : segments) {
                to.sendFloats(state.moment(prefix, segment.parameter()), segment.offset(), segment.length());
            }
        }
        to.flush();
    }

    /** The arrays themselves: all segments of the first moment, then of the next. */
    List<float[]> tensors() {
        return moments.stream().flatMap(List::stream).toList();
    }

    long bytes() {
        return tensors().stream()
                .mapToLong(data -> (long) data.length * Float.BYTES)
                .sum();
    }

    /** Roots of {@link #tensors}. */
    List<Sha256> roots() {
        List<CompletableFuture<Sha256>> tasks = tensors().stream()
                .map(data -> CompletableFuture.supplyAsync(
                        () -> TensorDigests.tensorRoot(data, 0, data.length), replica.executor()))
                .toList();
        return tasks.stream().map(CompletableFuture::join).toList();
    }

    /** What this worker holds: all parameters and its moments. */
    StateMessages.Held held() {
        return new StateMessages.Held(
                TensorDigests.tensorsRoot(replica.state().tensors(), replica.executor()), roots());
    }

    /**
     * Whether the update of this share would be valid. Tried on copies of a segment at a time, which takes no second set of
     * moments.
     *
     * @param sums by place
     */
    boolean updatable(List<float[]> sums, UpdateRequest request) {
        boolean valid = true;
        for (Segment segment : segments) {
            List<float[]> copies = moments.stream()
                    .map(kind -> kind.get(segment.place()).clone())
                    .toList();
            valid = valid && updated(segment, copies, sums, request).isPresent();
        }
        return valid;
    }

    /**
     * Updates the share and its segments of the parameters.
     *
     * @param sums by place; the new parameters take their place
     */
    void update(List<float[]> sums, UpdateRequest request) {
        for (Segment segment : segments) {
            List<float[]> own =
                    moments.stream().map(kind -> kind.get(segment.place())).toList();
            float[] parameter = updated(segment, own, sums, request)
                    .orElseThrow(
                            () -> new IllegalStateException("a valid update of segment " + segment + " is invalid"));
            System.arraycopy(
                    parameter, 0, replica.state().parameter(segment.parameter()), segment.offset(), segment.length());
            System.arraycopy(parameter, 0, sums.get(segment.place()), 0, segment.length());
        }
        replica.state().bounds().forget();
        replica.state().countUpdate();
    }

    /** The new parameters of a segment, its moments being updated in place; empty where that is not valid. */
    private Optional<float[]> updated(Segment segment, List<float[]> own, List<float[]> sums, UpdateRequest request) {
        Parameter of = replica.engine().manifest().parameters().get(segment.parameter());
        float[] parameter = Arrays.copyOfRange(
                replica.state().parameter(segment.parameter()), segment.offset(), segment.offset() + segment.length());
        boolean valid = replica.engine()
                .updateSegment(
                        new StateSegment(parameter, own, of.decays()),
                        sums.get(segment.place()),
                        request,
                        replica.state().updateCount() + 1);
        return valid ? Optional.of(parameter) : Optional.empty();
    }

    /** Turns a bit of a moment over, where it is in this share. */
    void flip(BitPlace place) {
        for (int kind = 0; kind < prefixes.size(); kind++) {
            for (Segment segment : segments) {
                String name = prefixes.get(kind)
                        + replica.engine()
                                .manifest()
                                .parameters()
                                .get(segment.parameter())
                                .name();
                long inside = place.element() - segment.offset();
                if (name.equals(place.tensor()) && inside >= 0 && inside < segment.length()) {
                    new BitPlace(name, inside, place.bit())
                            .flip(moments.get(kind).get(segment.place()));
                }
            }
        }
    }
}
