package org.bitwitness.kernels.program;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.bitwitness.protocol.ProfileId;

/**
 * The numeric profiles that this version computes. They have every operator in common and differ in what tensors are
 * stored as between operators.
 */
public enum NumericProfile {
    /** Every tensor is float32. */
    F32_C512(false),
    /** Weights, activations and their gradients are bfloat16 between operators; masters and everything else is float32. */
    BF16_C512(true);

    private final boolean storesBf16;

    NumericProfile(boolean storesBf16) {
        this.storesBf16 = storesBf16;
    }

    public ProfileId id() {
        return switch (this) {
            case F32_C512 -> ProfileId.F32_C512;
            case BF16_C512 -> ProfileId.BF16_C512;
        };
    }

    /** Whether parameters are rounded before a step reads them, and rows after every operator that writes them. */
    public boolean storesBf16() {
        return storesBf16;
    }

    /**
     * The profile of this name.
     *
     * @throws IllegalArgumentException naming those that exist: an unknown one is never replaced by another
     */
    public static NumericProfile of(ProfileId id) {
        for (NumericProfile profile : values()) {
            if (profile.id().equals(id)) {
                return profile;
            }
        }
        throw new IllegalArgumentException("no numeric profile of this version is called \"%s\"; known: %s"
                .formatted(
                        id,
                        Arrays.stream(values())
                                .map(profile -> '"' + profile.id().text() + '"')
                                .collect(Collectors.joining(", "))));
    }
}
