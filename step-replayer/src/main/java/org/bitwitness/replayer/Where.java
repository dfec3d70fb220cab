package org.bitwitness.replayer;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.Phase;
import org.bitwitness.protocol.Resolution;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;

/** Gathers what is known of a place while it is narrowed down; how fine that is comes out last. */
final class Where {
    private final List<Consumer<FirstDifference.Builder>> known = new ArrayList<>();

    private Where() {}

    static Where unit() {
        return new Where();
    }

    static Where in(StepIndex step) {
        return new Where().add(b -> b.step(step));
    }

    Where phase(Phase value) {
        return add(b -> b.phase(value));
    }

    Where worker(WorkerId value) {
        return add(b -> b.worker(value));
    }

    Where microBatch(int value) {
        return add(b -> b.microBatch(value));
    }

    Where operator(String value) {
        return add(b -> b.operator(value));
    }

    Where tensor(String value) {
        return add(b -> b.tensor(value));
    }

    Where index(long value) {
        return add(b -> b.index(value));
    }

    Where bits(float expected, float computed) {
        return bits(hex(expected), hex(computed));
    }

    Where bits(double expected, double computed) {
        return bits(hex(expected), hex(computed));
    }

    Where bits(String expected, String computed) {
        return add(b -> b.expectedBits(expected).computedBits(computed));
    }

    /** @param note what is known beside the place, in a sentence */
    FirstDifference at(Resolution resolution, String note) {
        FirstDifference.Builder builder = FirstDifference.at(resolution).note(note);
        known.forEach(part -> part.accept(builder));
        return builder.build();
    }

    static String hex(float value) {
        return "%08x".formatted(Float.floatToRawIntBits(value));
    }

    static String hex(double value) {
        return "%016x".formatted(Double.doubleToRawLongBits(value));
    }

    static String hex(long value) {
        return "%016x".formatted(value);
    }

    private Where add(Consumer<FirstDifference.Builder> part) {
        known.add(part);
        return this;
    }
}
