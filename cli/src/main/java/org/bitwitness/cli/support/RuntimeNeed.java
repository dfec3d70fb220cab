package org.bitwitness.cli.support;

import java.util.Collection;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a command needs of the JVM it runs in. The launcher gives all of it; a command started by hand without an option
 * is told which one, before a library fails somewhere deep inside.
 */
public enum RuntimeNeed {
    /** Arrow's buffers, for reading and writing the step records of a recording. */
    ARROW("", "java.nio"),
    /** Spark with its Netty, for spreading audit units. */
    SPARK("", "java.nio sun.nio.ch java.lang java.lang.invoke java.util"),
    /** The Vector API, for the fast backend. */
    VECTOR("jdk.incubator.vector", "");

    private static final int OLDEST_JDK = 25;

    /** A module that must be in the boot layer, or empty. */
    private final String module;
    /** Packages of java.base that must be open to the class path, separated by spaces. */
    private final String openPackages;

    RuntimeNeed(String module, String openPackages) {
        this.module = module;
        this.openPackages = openPackages;
    }

    /**
     * Fails on the first thing missing.
     *
     * @throws CommandFailure naming the option to add, exit 1
     */
    static void requireAll(Collection<RuntimeNeed> needs) throws CommandFailure {
        Optional<String> missing = firstMissing(needs);
        if (missing.isPresent()) {
            throw CommandFailure.usage(missing.get());
        }
    }

    static Optional<String> firstMissing(Collection<RuntimeNeed> needs) {
        int found = Runtime.version().feature();
        if (found < OLDEST_JDK) {
            return Optional.of("need JDK " + OLDEST_JDK + " or newer, this is " + found + ": start with ./bitwitness");
        }
        for (RuntimeNeed need : needs) {
            Optional<String> option = need.missingOption();
            if (option.isPresent()) {
                return Optional.of(need + " needs the JVM option " + option.get()
                        + ", which is missing: add it, or start with ./bitwitness, which sets it");
            }
        }
        return Optional.empty();
    }

    private Optional<String> missingOption() {
        if (!module.isEmpty() && ModuleLayer.boot().findModule(module).isEmpty()) {
            return Optional.of("--add-modules=" + module);
        }
        Module base = Object.class.getModule();
        Module ours = RuntimeNeed.class.getModule();
        return Stream.of(openPackages.split(" "))
                .filter(name -> !name.isEmpty() && !base.isOpen(name, ours))
                .findFirst()
                .map(name -> "--add-opens=java.base/" + name + "=ALL-UNNAMED");
    }
}
