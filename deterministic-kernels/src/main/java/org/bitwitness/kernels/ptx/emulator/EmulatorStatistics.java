package org.bitwitness.kernels.ptx.emulator;

import java.time.Duration;

/**
 * What a device has done so far.
 *
 * @param instructions PTX instructions, counted once for each thread that ran them
 * @param time spent in launches
 */
public record EmulatorStatistics(long launches, long instructions, Duration time) {
    public double millionInstructionsPerSecond() {
        return time.isZero() ? 0 : instructions * 1e3 / time.toNanos();
    }
}
