package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Start-up check of the CPU's floating-point mode. A native library can switch off subnormals (FTZ, DAZ) or change the
 * rounding for the thread that loads it and for threads started afterwards; every bit computed then is in doubt, so a
 * replayer refuses to judge.
 */
public final class FloatMode {
    // Volatile, so that no compiler folds the arithmetic before it reaches the CPU.
    private static volatile float smallestNormal = Float.MIN_NORMAL;
    private static volatile float half = 0.5f;
    private static volatile float largestSubnormal = Math.nextDown(Float.MIN_NORMAL);
    private static volatile float one = 1f;
    private static volatile float halfUlpOfOne = 0x1p-24f;
    private static volatile double smallestNormalDouble = Double.MIN_NORMAL;

    private FloatMode() {}

    /** What is wrong on this thread or on a new one, with the next step; empty when nothing is. */
    public static Optional<String> problem() {
        return problem(FloatMode::faultsOfThisThread);
    }

    /** As {@link #problem()}, for one thread's check given from outside: tests plant a fault here. */
    static Optional<String> problem(FaultsOfThread check) {
        List<String> here = check.find();
        FutureTask<List<String>> elsewhere = new FutureTask<>(check::find);
        Thread thread = Thread.ofPlatform().name("float-mode-check").start(elsewhere);
        try {
            thread.join();
            List<String> there = elsewhere.get();
            if (here.isEmpty() && there.isEmpty()) {
                return Optional.empty();
            }
            return Optional.of("this JVM's float arithmetic is not IEEE: on this thread %s, on a new thread %s; "
                            .formatted(describe(here), describe(there))
                    + "a native library has probably set FTZ or DAZ: run without it");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("the float mode check was interrupted: run it again");
        } catch (ExecutionException e) {
            throw new IllegalStateException("the float mode check failed", e);
        }
    }

    /** Finds the faults of the calling thread. */
    @FunctionalInterface
    interface FaultsOfThread {
        List<String> find();
    }

    private static List<String> faultsOfThisThread() {
        List<String> faults = new ArrayList<>();
        if (smallestNormal * half != Float.intBitsToFloat(0x00400000)) {
            faults.add("subnormal results are flushed to zero");
        }
        if (largestSubnormal + largestSubnormal == 0f || largestSubnormal * one == 0f) {
            faults.add("subnormal inputs are read as zero");
        }
        if (smallestNormalDouble * half == 0.0) {
            faults.add("subnormal doubles are flushed to zero");
        }
        if (one + halfUlpOfOne != 1f || -one - halfUlpOfOne != -1f) {
            faults.add("rounding is not to nearest even");
        }
        if (Float.floatToRawIntBits(Math.fma(smallestNormal, half, 0f)) != 0x00400000) {
            faults.add("fused multiply-add flushes subnormals");
        }
        return faults;
    }

    private static String describe(List<String> faults) {
        return faults.isEmpty() ? "nothing" : String.join(" and ", faults);
    }
}
