package org.bitwitness.cli.support;

import java.util.List;
import java.util.Set;

/** Lets tests of the launcher see the flags. */
public final class JvmFlagsForTests {
    private JvmFlagsForTests() {}

    public static List<String> base() {
        return JvmFlags.BASE;
    }

    public static String vector() {
        return JvmFlags.VECTOR;
    }

    public static List<String> kernels() {
        return JvmFlags.KERNELS;
    }

    public static List<String> light() {
        return JvmFlags.LIGHT;
    }

    public static Set<String> computeCommands() {
        return JvmFlags.COMPUTE_COMMANDS;
    }
}
