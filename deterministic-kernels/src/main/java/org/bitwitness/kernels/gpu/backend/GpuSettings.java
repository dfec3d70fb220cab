package org.bitwitness.kernels.gpu.backend;

import java.util.OptionalLong;
import org.bitwitness.kernels.BackendAbsentException;
import org.bitwitness.kernels.BackendId;

/**
 * Which device, and how much of its memory. System properties, because the choice has to reach whoever makes a backend, in child
 * processes too; the options {@code --device}, {@code --gpu-memory} and {@code --emulator-checks} set them.
 *
 * @param device number of the card, from 0
 * @param memoryLimitBytes for all buffers together; empty leaves it to the device
 * @param checks whether an emulator looks for races and for reads of what nobody wrote
 */
public record GpuSettings(int device, OptionalLong memoryLimitBytes, boolean checks) {
    /** Number of the card, from 0. */
    public static final String DEVICE = "bitwitness.gpu.device";

    /** Most bytes of device memory. */
    public static final String MEMORY = "bitwitness.gpu.memory";

    /** {@code true} or {@code false}. */
    public static final String CHECKS = "bitwitness.gpu.checks";

    /** @throws BackendAbsentException naming the property that says nothing usable */
    static GpuSettings of(BackendId id) {
        long device = number(id, DEVICE).orElse(0);
        if (device < 0 || device > Integer.MAX_VALUE) {
            throw new BackendAbsentException(id, DEVICE + " counts cards from 0, got " + device);
        }
        OptionalLong memory = number(id, MEMORY);
        if (memory.orElse(1) < 1) {
            throw new BackendAbsentException(id, MEMORY + " should be at least 1 byte, is " + memory.getAsLong());
        }
        String checks = System.getProperty(CHECKS, "false");
        if (!checks.equals("true") && !checks.equals("false")) {
            throw new BackendAbsentException(id, CHECKS + " should be true or false, is \"" + checks + "\"");
        }
        return new GpuSettings((int) device, memory, checks.equals("true"));
    }

    private static OptionalLong number(BackendId id, String property) {
        String text = System.getProperty(property, "");
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            throw new BackendAbsentException(id, property + " should be a number, is \"" + text + "\"");
        }
    }
}
