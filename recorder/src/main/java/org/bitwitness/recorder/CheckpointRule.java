package org.bitwitness.recorder;

import org.bitwitness.protocol.record.Descriptor;

/** When states are stored and commitments made, by a run's storage policy. */
public final class CheckpointRule {
    private CheckpointRule() {}

    /** True where the state of this index is stored: those that the policy names, and the last one. */
    public static boolean storesState(Descriptor descriptor, long stateIndex) {
        return descriptor.storage().storesState(stateIndex) || isLast(descriptor, stateIndex);
    }

    /** True where the steps before this state are committed: a multiple of {@code commitEvery}, and the last one. */
    public static boolean commits(Descriptor descriptor, long stateIndex) {
        return stateIndex % descriptor.storage().commitEvery() == 0 || isLast(descriptor, stateIndex);
    }

    public static boolean isLast(Descriptor descriptor, long stateIndex) {
        return stateIndex == descriptor.schedule().steps();
    }
}
