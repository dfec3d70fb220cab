package org.bitwitness.replayer;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whether this process computes with subnormal numbers. A native library that was built for speed may have told the
 * processor to replace them by zero, on the thread that loaded it and on threads started later.
 */
public final class FloatMode {
    /** 2^-126 and 2^-1022, the smallest normal numbers: half of each is subnormal. Not final, so nothing is folded. */
    private static volatile float smallestNormal = Float.MIN_NORMAL;

    private static volatile double smallestNormalDouble = Double.MIN_NORMAL;

    private FloatMode() {}

    /** Why bits from this process cannot be trusted, or nothing when subnormals are kept on old and new threads. */
    public static Optional<String> problem() {
        if (!keepsSubnormals()) {
            return Optional.of(message("this thread"));
        }
        AtomicBoolean kept = new AtomicBoolean();
        Thread fresh = new Thread(() -> kept.set(keepsSubnormals()), "float-mode");
        fresh.start();
        try {
            fresh.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("interrupted before subnormal numbers were checked");
        }
        return kept.get() ? Optional.empty() : Optional.of(message("a new thread"));
    }

    private static boolean keepsSubnormals() {
        float half = smallestNormal * 0.5f;
        double halfDouble = smallestNormalDouble * 0.5;
        return Float.floatToRawIntBits(half) == 0x00400000
                && Float.floatToRawIntBits(half + half) == 0x00800000
                && Double.doubleToRawLongBits(halfDouble) == 0x0008_0000_0000_0000L;
    }

    private static String message(String where) {
        return "subnormal numbers become zero on " + where
                + ": a native library has switched them off; start without it";
    }
}
