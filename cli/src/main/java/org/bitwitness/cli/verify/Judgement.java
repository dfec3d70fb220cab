package org.bitwitness.cli.verify;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.Printable;

/**
 * What is said about one target.
 *
 * @param target as it was typed
 * @param headline one line
 * @param proven sentences
 * @param notProven sentences
 * @param details more fields of the JSON document, by name
 */
record Judgement(
        String target,
        ExitCode exitCode,
        String headline,
        List<String> proven,
        List<String> notProven,
        Map<String, Object> details) {
    Judgement {
        proven = List.copyOf(proven);
        notProven = List.copyOf(notProven);
        details = new LinkedHashMap<>(details);
    }

    /** A target that could not be accepted. */
    static Judgement of(String target, AttestationException e) {
        return new Judgement(target, ExitCode.of(e.kind()), e.getMessage(), List.of(), List.of(), Map.of());
    }

    /** The word that stands before the headline. */
    String word() {
        return switch (exitCode) {
            case OK -> "VERIFIED";
            case REFUSED -> "FAILED";
            case INCONCLUSIVE -> "UNDECIDED";
            case USAGE -> "NOT JUDGED";
        };
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("%s %s".formatted(word(), target));
        headline.lines().forEach(line -> lines.add("  " + line));
        if (!proven.isEmpty()) {
            lines.add("proven:");
            proven.forEach(line -> lines.add("  - " + line));
        }
        if (!notProven.isEmpty()) {
            lines.add("not proven:");
            notProven.forEach(line -> lines.add("  - " + line));
        }
        return lines.stream().map(Printable::unmarked).toList();
    }

    Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("target", target);
        document.put("result", word());
        document.put("exitCode", exitCode.code());
        document.put("headline", headline);
        document.putAll(details);
        document.put("proven", proven);
        document.put("notProven", notProven);
        return document;
    }
}
