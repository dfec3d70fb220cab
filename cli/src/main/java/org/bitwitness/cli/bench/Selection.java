package org.bitwitness.cli.bench;

import java.util.Arrays;
import java.util.List;

/**
 * Which rows of a group are wanted.
 *
 * @param prefixes beginnings of row names; none for all
 */
public record Selection(List<String> prefixes) {
    public static final Selection ALL = new Selection(List.of());

    public Selection {
        prefixes = List.copyOf(prefixes);
    }

    /** Prefixes separated by commas. */
    public static Selection parse(String commaSeparated) {
        return new Selection(Arrays.stream(commaSeparated.split(",", -1))
                .filter(prefix -> !prefix.isBlank())
                .toList());
    }

    public boolean has(String row) {
        return prefixes.isEmpty() || prefixes.stream().anyMatch(row::startsWith);
    }
}
