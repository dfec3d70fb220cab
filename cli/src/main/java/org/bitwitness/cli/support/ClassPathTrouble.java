package org.bitwitness.cli.support;

import java.security.CodeSource;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One line for trouble of packaging: an unopened package of the JDK, or two versions of a library on the path. */
final class ClassPathTrouble {
    /** As in: module java.base does not "opens java.nio" to unnamed module. */
    private static final Pattern NOT_OPEN =
            Pattern.compile("module ([\\w.]+) does not \"(?:opens|exports) ([\\w.]+)\"");
    /** As in: 'void io.netty.buffer.Thing.method(int)' and io/netty/buffer/Thing. */
    private static final Pattern CLASS_NAME = Pattern.compile("((?:[a-z][\\w]*[./])+[A-Z][\\w$]*)");

    private ClassPathTrouble() {}

    static String message(LinkageError error) {
        String text = Objects.requireNonNullElse(error.getMessage(), error.toString());
        if (NOT_OPEN.matcher(text).find()) {
            return missingOpens(text);
        }
        Optional<String> jar = owner(text).flatMap(ClassPathTrouble::origin);
        return "class path conflict: " + error.getClass().getSimpleName() + " " + text
                + jar.map(found -> ", taken from " + found).orElse("")
                + ": another version of that library comes first; start with ./bitwitness, which orders them";
    }

    static String missingOpens(String text) {
        Matcher found = NOT_OPEN.matcher(text);
        return found.find()
                ? "the JVM option --add-opens=" + found.group(1) + "/" + found.group(2)
                        + "=ALL-UNNAMED is missing: add it, or start with ./bitwitness, which sets it"
                : "a class of the JDK is not accessible (" + text + "): start with ./bitwitness, which opens it";
    }

    /** The class whose method was looked for: the last one named before a parameter list. */
    private static Optional<String> owner(String text) {
        int parameters = text.indexOf('(');
        Matcher names = CLASS_NAME.matcher(parameters < 0 ? text : text.substring(0, parameters));
        String last = "";
        while (names.find()) {
            last = names.group(1);
        }
        return last.isEmpty() ? Optional.empty() : Optional.of(last.replace('/', '.'));
    }

    private static Optional<String> origin(String className) {
        try {
            CodeSource source = Class.forName(className, false, ClassPathTrouble.class.getClassLoader())
                    .getProtectionDomain()
                    .getCodeSource();
            return Optional.ofNullable(source).map(found -> found.getLocation().getPath());
        } catch (ClassNotFoundException | LinkageError e) {
            return Optional.empty();
        }
    }
}
