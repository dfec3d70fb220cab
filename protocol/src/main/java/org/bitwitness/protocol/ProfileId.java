package org.bitwitness.protocol;

import java.util.Set;

/** Exact name of a numeric profile; every hash of a state depends on it. Unknown names are kept, never guessed at. */
public record ProfileId(String text) {
    /** Single precision, dot products in chunks of 512. */
    public static final ProfileId F32_C512 = new ProfileId("F32-C512 v1");

    /** Storage in bfloat16, the same dot products, masters in single precision. */
    public static final ProfileId BF16_C512 = new ProfileId("BF16-C512 v1");

    /** Profiles that fix every bit on any CPU and GPU: what assurance level BW3 rests on. */
    public static final Set<ProfileId> PORTABLE = Set.of(F32_C512, BF16_C512);

    private static final int MAX_CHARS = 64;

    public ProfileId {
        if (text.isEmpty() || text.length() > MAX_CHARS || !text.chars().allMatch(c -> c >= ' ' && c <= '~')) {
            throw new IllegalArgumentException(
                    "a profile id is 1 to %d printable ASCII characters, like \"F32-C512 v1\"".formatted(MAX_CHARS));
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
