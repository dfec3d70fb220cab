package org.bitwitness.protocol;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What one auditor replays. Written without spaces and without leading zeros, in exactly one way:
 *
 * <pre>INIT  DATA(shard-00000)  GRADIENT(17,2)  REDUCE(17)  UPDATE(17)  STEP(17)  SEGMENT(10,20)  FINAL</pre>
 */
public sealed interface AuditUnit {
    /** The initial state follows from the descriptor. */
    record Init() implements AuditUnit {
        @Override
        public String text() {
            return "INIT";
        }

        @Override
        public String toString() {
            return text();
        }
    }

    /** The tokens of one shard follow from the raw documents. */
    record Data(String shard) implements AuditUnit {
        private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

        public Data {
            if (!NAME.matcher(shard).matches()) {
                throw new IllegalArgumentException(
                        "a shard name is letters, digits, '.', '_' and '-', at most 64, like shard-00000");
            }
        }

        @Override
        public String text() {
            return "DATA(" + shard + ")";
        }

        @Override
        public String toString() {
            return text();
        }
    }

    /** One worker's gradient in one step. */
    record Gradient(StepIndex step, WorkerId worker) implements AuditUnit {
        @Override
        public String text() {
            return "GRADIENT(" + step + "," + worker + ")";
        }

        @Override
        public String toString() {
            return text();
        }
    }

    /** All workers' gradients become one: combined gradient, norm, clip factor, loss. */
    record Reduce(StepIndex step) implements AuditUnit {
        @Override
        public String text() {
            return "REDUCE(" + step + ")";
        }

        @Override
        public String toString() {
            return text();
        }
    }

    /** The optimizer turns one state into the next. */
    record Update(StepIndex step) implements AuditUnit {
        @Override
        public String text() {
            return "UPDATE(" + step + ")";
        }

        @Override
        public String toString() {
            return text();
        }
    }

    /** A whole step: all its gradients, its reduction and its update. */
    record Step(StepIndex step) implements AuditUnit {
        @Override
        public String text() {
            return "STEP(" + step + ")";
        }

        @Override
        public String toString() {
            return text();
        }
    }

    /** Every step of a half-open span, from the state before the first. */
    record Segment(StepRange steps) implements AuditUnit {
        @Override
        public String text() {
            return "SEGMENT(" + steps.firstStep() + "," + steps.endStep() + ")";
        }

        @Override
        public String toString() {
            return text();
        }
    }

    /** The released files are the final state, byte for byte. */
    record Final() implements AuditUnit {
        @Override
        public String text() {
            return "FINAL";
        }

        @Override
        public String toString() {
            return text();
        }
    }

    /** The one spelling of this unit. */
    String text();

    /**
     * The unit that {@code text} writes.
     *
     * @throws IllegalArgumentException if {@code text} is not a unit in its one spelling; says what is
     */
    static AuditUnit parse(String text) {
        if (text.equals("INIT")) {
            return new Init();
        }
        if (text.equals("FINAL")) {
            return new Final();
        }
        Matcher call = UnitGrammar.CALL.matcher(text);
        if (!call.matches()) {
            throw UnitGrammar.refuse(text);
        }
        String first = call.group(2);
        String second = call.group(3) == null ? "" : call.group(3);
        return switch (call.group(1) + (second.isEmpty() ? "/1" : "/2")) {
            case "DATA/1" -> new Data(first);
            case "GRADIENT/2" -> new Gradient(UnitGrammar.step(text, first), UnitGrammar.worker(text, second));
            case "REDUCE/1" -> new Reduce(UnitGrammar.step(text, first));
            case "UPDATE/1" -> new Update(UnitGrammar.step(text, first));
            case "STEP/1" -> new Step(UnitGrammar.step(text, first));
            case "SEGMENT/2" ->
                new Segment(new StepRange(UnitGrammar.number(text, first), UnitGrammar.number(text, second)));
            default -> throw UnitGrammar.refuse(text);
        };
    }
}
