package org.bitwitness.cli.support;

/**
 * Whether somebody is looking. The JDK cannot tell the two output streams apart, so the launcher, which can, sets
 * {@code bitwitness.tty} to the digits of the descriptors that are terminals; without a launcher nothing is one.
 */
public final class Terminals {
    private Terminals() {}

    public static boolean standardOutput() {
        return isTerminal("1") && colourAllowed();
    }

    public static boolean standardError() {
        return isTerminal("2") && colourAllowed();
    }

    private static boolean isTerminal(String descriptor) {
        return System.getProperty("bitwitness.tty", "").contains(descriptor);
    }

    private static boolean colourAllowed() {
        return System.getenv("NO_COLOR") == null && !"dumb".equals(System.getenv("TERM"));
    }
}
