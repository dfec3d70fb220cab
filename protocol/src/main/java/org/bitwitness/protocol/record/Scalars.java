package org.bitwitness.protocol.record;

import org.bitwitness.protocol.DescriptorDigest;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.bytes.CanonicalDecoder;
import org.bitwitness.protocol.bytes.CanonicalEncoder;

/**
 * Everything that the next step reads beside tensors.
 *
 * @param updateCount updates applied so far; an INVALID step does not count
 * @param schedulePosition step that the learning rate is taken at: the state index
 * @param rngCounter the counter that dropout takes in the next step: the update count plus one
 * @param epoch passes over the data finished so far
 * @param samplePosition place in this epoch's order of the next step's first sample
 * @param lossScale 1.0 in single precision
 * @param layoutDigest {@link Layout#digest()} of the layout of the step that led here; of the run's own for state 0
 */
public record Scalars(
        StateIndex stateIndex,
        long updateCount,
        long schedulePosition,
        long rngCounter,
        long epoch,
        long samplePosition,
        double lossScale,
        Sha256 layoutDigest) {
    public Scalars {
        if (updateCount < 0 || schedulePosition < 0 || rngCounter < 0 || epoch < 0 || samplePosition < 0) {
            throw new IllegalArgumentException("scalars cannot be negative");
        }
        if (!Double.isFinite(lossScale)) {
            throw new IllegalArgumentException("the loss scale must be finite, got " + lossScale);
        }
    }

    /** Scalars of state 0 under a layout. */
    public static Scalars initial(Layout layout) {
        return new Scalars(new StateIndex(0), 0, 0, 1, 0, 0, 1.0, layout.digest());
    }

    /** The same of a step that was done by the workers of {@code layout}. */
    public Scalars after(boolean valid, long samples, long sampleCount, Layout layout) {
        return new Scalars(
                        stateIndex,
                        updateCount,
                        schedulePosition,
                        rngCounter,
                        epoch,
                        samplePosition,
                        lossScale,
                        layout.digest())
                .after(valid, samples, sampleCount);
    }

    /**
     * Scalars after one step that reads {@code samples} samples, in the layout of the step before it.
     *
     * @param valid false for an INVALID step, which advances data and schedule but no update
     * @param sampleCount samples of one epoch
     */
    public Scalars after(boolean valid, long samples, long sampleCount) {
        if (samples < 0 || sampleCount < 1) {
            throw new IllegalArgumentException("need samples >= 0 and sampleCount >= 1");
        }
        long updates = updateCount + (valid ? 1 : 0);
        long position = Math.addExact(samplePosition, samples);
        StateIndex next = new StateIndex(Math.addExact(stateIndex.value(), 1));
        return new Scalars(
                next,
                updates,
                next.value(),
                updates + 1,
                Math.addExact(epoch, position / sampleCount),
                position % sampleCount,
                lossScale,
                layoutDigest);
    }

    public byte[] toBytes() {
        return CanonicalEncoder.of("scalars")
                .u64(stateIndex.value())
                .u64(updateCount)
                .u64(schedulePosition)
                .u64(rngCounter)
                .u64(epoch)
                .u64(samplePosition)
                .f64(lossScale)
                .digest(layoutDigest)
                .toBytes();
    }

    public static Scalars decode(byte[] encoded) throws ProtocolException {
        CanonicalDecoder in = CanonicalDecoder.open(encoded, "scalars");
        long stateIndex = in.u64("stateIndex");
        long updateCount = in.u64("updateCount");
        long schedulePosition = in.u64("schedulePosition");
        long rngCounter = in.u64("rngCounter");
        long epoch = in.u64("epoch");
        long samplePosition = in.u64("samplePosition");
        double lossScale = in.f64("lossScale");
        Sha256 layoutDigest = in.digest("layoutDigest");
        return in.build(() -> new Scalars(
                new StateIndex(stateIndex),
                updateCount,
                schedulePosition,
                rngCounter,
                epoch,
                samplePosition,
                lossScale,
                layoutDigest));
    }

    /**
     * {@code stateRoot = H(state, profileId, descriptorDigest, tensorsRoot, H(scalars))}.
     *
     * @param tensorsRoot over parameters, moments {@code m.} and {@code v.} and aggregation state
     */
    public StateRoot stateRoot(ProfileId profile, DescriptorDigest descriptor, Sha256 tensorsRoot) {
        return new StateRoot(CanonicalEncoder.of("state")
                .text(profile.text())
                .digest(descriptor.digest())
                .digest(tensorsRoot)
                .digest(Hashing.sha256(toBytes()))
                .hash());
    }
}
