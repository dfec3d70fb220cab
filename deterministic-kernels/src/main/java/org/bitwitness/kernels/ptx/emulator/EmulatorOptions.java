package org.bitwitness.kernels.ptx.emulator;

/**
 * How an emulated device runs kernels.
 *
 * @param checked whether races, reads of what nobody wrote and divergence of memory order are looked for; about three times
 *     slower
 * @param order of threads and blocks
 * @param memoryLimitBytes for all buffers together
 * @param instructionLimit per warp of a block; more is taken for a loop that does not end
 * @param threads that run blocks of a launch; more than one only without checks and in lockstep
 */
public record EmulatorOptions(
        boolean checked, ThreadOrder order, long memoryLimitBytes, long instructionLimit, int threads) {
    private static final long DEFAULT_MEMORY = 4L << 30;
    private static final long DEFAULT_INSTRUCTIONS = 20_000_000_000L;

    public EmulatorOptions {
        if (memoryLimitBytes < 1 || instructionLimit < 1 || threads < 1 || threads > 1024) {
            throw new IllegalArgumentException(
                    "limits are positive, threads 1 to 1024, got %d bytes, %d instructions, %d threads"
                            .formatted(memoryLimitBytes, instructionLimit, threads));
        }
        if (threads > 1 && (checked || !order.isLockstep())) {
            throw new IllegalArgumentException("checks and chosen orders of threads need one thread, got " + threads);
        }
    }

    /** Every check, warps in step. */
    public static EmulatorOptions withChecks() {
        return new EmulatorOptions(true, ThreadOrder.lockstep(), DEFAULT_MEMORY, DEFAULT_INSTRUCTIONS, 1);
    }

    /** Every check, in an order. */
    public static EmulatorOptions withChecks(ThreadOrder order) {
        return new EmulatorOptions(true, order, DEFAULT_MEMORY, DEFAULT_INSTRUCTIONS, 1);
    }

    /** Bounds, alignment, barriers and shuffles are checked, races and undefined reads are not. */
    public static EmulatorOptions fast(int threads) {
        return new EmulatorOptions(false, ThreadOrder.lockstep(), DEFAULT_MEMORY, DEFAULT_INSTRUCTIONS, threads);
    }

    public EmulatorOptions withMemoryLimit(long bytes) {
        return new EmulatorOptions(checked, order, bytes, instructionLimit, threads);
    }

    public EmulatorOptions withInstructionLimit(long instructions) {
        return new EmulatorOptions(checked, order, memoryLimitBytes, instructions, threads);
    }
}
