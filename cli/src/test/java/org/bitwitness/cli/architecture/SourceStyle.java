package org.bitwitness.cli.architecture;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** What the formatter and the compiler do not check, over the text of one file. */
final class SourceStyle {
    static final int MOST_LINES = 400;
    /** The formatter breaks code at 120; a comment or a message may end its last word. */
    static final int MOST_COLUMNS = 130;

    /** Longer for a reason: a backend has one method for every operator of its interface. */
    static final Set<String> LONG_FILES = Set.of("VectorBackend.java", "ReferenceBackend.java");

    private static final Pattern UNFINISHED = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");
    /** Folders of one machine. */
    private static final Pattern MACHINE = Pattern.compile("(?<![\\w.])/wo" + "rk/|\\.\\./sha" + "red|/ro" + "ot/");

    /** Digits padded for a name, by a method that takes them from the default locale. */
    private static final Pattern LOCAL_DIGITS = Pattern.compile("%0\\d+d.*\"\\s*\\.formatted\\(");

    private SourceStyle() {}

    /** Complaints about a main or test source; none means fine. */
    static List<String> complaints(Path file, List<String> lines) {
        List<String> complaints = new ArrayList<>();
        boolean main = file.toString().contains("src/main/");
        if (main && lines.size() > MOST_LINES && !LONG_FILES.contains(name(file))) {
            complaints.add(file + ": " + lines.size() + " lines, " + MOST_LINES + " at most: split it");
        }
        for (int i = 0; i < lines.size(); i++) {
            String at = file + ":" + (i + 1) + ": ";
            String line = lines.get(i);
            boolean isWide = line.codePointCount(0, line.length()) > MOST_COLUMNS;
            if (isWide && !line.contains("https://") && !line.strip().startsWith("\"")) {
                complaints.add(at + line.length() + " columns, " + MOST_COLUMNS + " at most");
            }
            if (UNFINISHED.matcher(line).find()) {
                complaints.add(at + "unfinished: do it, or file an issue");
            }
            if (main && LOCAL_DIGITS.matcher(line).find()) {
                complaints.add(at + "padded digits follow the default locale: String.format(Locale.ROOT, ...)");
            }
            if (MACHINE.matcher(line).find()) {
                complaints.add(at + "names a folder of one machine");
            }
        }
        return complaints;
    }

    /** Every package says what it is for, and is null-marked. */
    static List<String> packageComplaints(Path folder, List<String> packageInfo) {
        String text = String.join("\n", packageInfo);
        List<String> complaints = new ArrayList<>();
        if (!text.contains("@NullMarked")) {
            complaints.add(folder + ": package-info.java with @NullMarked is missing");
        } else if (!text.startsWith("/**")) {
            complaints.add(folder + ": package-info.java does not say what the package is for");
        }
        return complaints;
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }
}
