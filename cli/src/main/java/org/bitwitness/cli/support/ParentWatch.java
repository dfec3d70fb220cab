package org.bitwitness.cli.support;

/** A child that {@link Relaunch} started ends with its parent, however the parent ended: nobody is left behind. */
public final class ParentWatch {
    static final String PARENT = "bitwitness.parent";
    private static final int KILLED = 143;

    private ParentWatch() {}

    /** Watches the parent named by the property, if there is one. */
    public static void start() {
        Long pid = Long.getLong(PARENT);
        if (pid != null) {
            Thread.ofPlatform().daemon().name("parent-watch").start(() -> haltAfter(pid));
        }
    }

    private static void haltAfter(long pid) {
        ProcessHandle.of(pid).ifPresent(parent -> parent.onExit().join());
        Runtime.getRuntime().halt(KILLED);
    }
}
