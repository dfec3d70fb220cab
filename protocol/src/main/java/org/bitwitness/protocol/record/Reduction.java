package org.bitwitness.protocol.record;

import java.util.ArrayList;
import java.util.List;

/** How workers' gradients become one. {@code docs/numerics.md} defines every rule to the bit. */
public sealed interface Reduction {
    Reduction ORDERED = new Ordered();
    Reduction EXACT = new Exact();

    /** The one spelling: a name, with its whole-number arguments in brackets where it has some: {@code MULTI_KRUM(1,3)}. */
    String text();

    /**
     * Refuses a number of workers with which the rule makes no sense.
     *
     * @throws IllegalArgumentException saying how many it needs
     */
    void requireWorkers(int workers);

    /** Single-precision additions in a recorded tree. */
    record Ordered() implements Reduction {
        @Override
        public String text() {
            return "ORDERED";
        }

        @Override
        public void requireWorkers(int workers) {
            atLeast(this, 1, workers);
        }
    }

    /** Exact integer sums, independent of order. */
    record Exact() implements Reduction {
        @Override
        public String text() {
            return "EXACT";
        }

        @Override
        public void requireWorkers(int workers) {
            atLeast(this, 1, workers);
        }
    }

    /** A rule that some liars among the workers cannot move arbitrarily; its result stands for the workers' mean. */
    sealed interface Robust extends Reduction {}

    /** The middle value of every element, or the mean of the two middle ones. */
    record Median() implements Robust {
        @Override
        public String text() {
            return "MEDIAN";
        }

        @Override
        public void requireWorkers(int workers) {
            atLeast(this, 1, workers);
        }
    }

    /**
     * The mean of every element without its smallest and largest values.
     *
     * @param liars how many are left out at each end
     */
    record TrimmedMean(int liars) implements Robust {
        public TrimmedMean {
            notNegative("liars", liars);
        }

        @Override
        public String text() {
            return "TRIMMED_MEAN(" + liars + ")";
        }

        @Override
        public void requireWorkers(int workers) {
            atLeast(this, 2L * liars + 1, workers);
        }
    }

    /**
     * The gradient of the worker that is nearest to its workers − liars − 1 nearest ones.
     *
     * @param liars how many workers may lie
     */
    record Krum(int liars) implements Robust {
        public Krum {
            notNegative("liars", liars);
        }

        @Override
        public String text() {
            return "KRUM(" + liars + ")";
        }

        @Override
        public void requireWorkers(int workers) {
            atLeast(this, Math.max(2L * liars + 1, liars + 2L), workers);
        }
    }

    /**
     * The mean of the gradients that come first by Krum's score.
     *
     * @param liars how many workers may lie
     * @param selected how many gradients are kept, at most workers − liars
     */
    record MultiKrum(int liars, int selected) implements Robust {
        public MultiKrum {
            notNegative("liars", liars);
            if (selected < 1) {
                throw new IllegalArgumentException("selected should be 1 or more, is " + selected);
            }
        }

        @Override
        public String text() {
            return "MULTI_KRUM(" + liars + "," + selected + ")";
        }

        @Override
        public void requireWorkers(int workers) {
            atLeast(this, Math.max(Math.max(2L * liars + 1, liars + 2L), (long) liars + selected), workers);
        }
    }

    /**
     * Smoothed Weiszfeld iterations from zero towards the point with the least sum of distances.
     *
     * @param iterations how many
     */
    record GeometricMedian(int iterations) implements Robust {
        public GeometricMedian {
            if (iterations < 1) {
                throw new IllegalArgumentException("iterations should be 1 or more, is " + iterations);
            }
        }

        @Override
        public String text() {
            return "GEOMETRIC_MEDIAN(" + iterations + ")";
        }

        @Override
        public void requireWorkers(int workers) {
            atLeast(this, 1, workers);
        }
    }

    /**
     * Reads the one spelling.
     *
     * @throws IllegalArgumentException naming the known rules
     */
    static Reduction parse(String text) {
        int open = text.indexOf('(');
        List<Integer> arguments = new ArrayList<>();
        if (open >= 0 && text.endsWith(")")) {
            for (String number : text.substring(open + 1, text.length() - 1).split(",", -1)) {
                // Two digits more than the largest layout has would still fit an int.
                if (number.isEmpty() || number.length() > 7 || !number.chars().allMatch(c -> c >= '0' && c <= '9')) {
                    throw unknown(text);
                }
                arguments.add(Integer.parseInt(number));
            }
        }
        Reduction found = named(text, open < 0 ? text : text.substring(0, open), arguments);
        if (!found.text().equals(text)) {
            throw unknown(text);
        }
        return found;
    }

    private static Reduction named(String text, String name, List<Integer> arguments) {
        return switch (name + "/" + arguments.size()) {
            case "ORDERED/0" -> ORDERED;
            case "EXACT/0" -> EXACT;
            case "MEDIAN/0" -> new Median();
            case "TRIMMED_MEAN/1" -> new TrimmedMean(arguments.get(0));
            case "KRUM/1" -> new Krum(arguments.get(0));
            case "MULTI_KRUM/2" -> new MultiKrum(arguments.get(0), arguments.get(1));
            case "GEOMETRIC_MEDIAN/1" -> new GeometricMedian(arguments.get(0));
            default -> throw unknown(text);
        };
    }

    private static IllegalArgumentException unknown(String text) {
        return new IllegalArgumentException(
                ("no reduction is spelled \"%s\"; known: ORDERED, EXACT, MEDIAN, TRIMMED_MEAN(liars), KRUM(liars),"
                                + " MULTI_KRUM(liars,selected), GEOMETRIC_MEDIAN(iterations)")
                        .formatted(text));
    }

    private static void notNegative(String what, int value) {
        if (value < 0) {
            throw new IllegalArgumentException(what + " should be 0 or more, is " + value);
        }
    }

    private static void atLeast(Reduction rule, long needed, int workers) {
        if (workers < needed) {
            throw new IllegalArgumentException(
                    "%s needs at least %d workers, there are %d".formatted(rule.text(), needed, workers));
        }
    }
}
