package org.bitwitness.cli.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.ProgressBar;
import org.bitwitness.protocol.format.Json;

/** The demo's words: progress while a phase runs, one line of result, and how long each took. */
final class DemoTalk {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long PHASES = 8;
    private static final Duration TICK = Duration.ofMillis(200);

    private final CommandIo io;
    private final LongSupplier nanos;
    private final Supplier<String> newestWord;
    private final Map<String, Double> seconds = new LinkedHashMap<>();

    /** @param newestWord what the child that spoke last said */
    DemoTalk(CommandIo io, LongSupplier nanos, Supplier<String> newestWord) {
        this.io = io;
        this.nanos = nanos;
        this.newestWord = newestWord;
    }

    /** One arrow of the flow; returns what to tell about it. */
    interface Phase {
        String run() throws CommandFailure, IOException, InterruptedException, AttestationException;
    }

    /** Runs a phase under a progress bar that counts phases, since each child shows its own progress in its log. */
    void phase(String name, Phase phase)
            throws CommandFailure, IOException, InterruptedException, AttestationException {
        long start = nanos.getAsLong();
        String result;
        try (ProgressBar bar = io.progress(name, PHASES)) {
            Thread ticker = ticker(bar, seconds.size());
            try {
                result = phase.run();
            } finally {
                ticker.interrupt();
                ticker.join();
            }
        }
        double took = (nanos.getAsLong() - start) / NANOS_PER_SECOND;
        seconds.put(name, took);
        io.say(String.format(Locale.ROOT, "@|bold %-20s|@ %5.1f s  %s", name, took, result));
    }

    /** Seconds by phase, in the order run. */
    Map<String, Double> seconds() {
        return new LinkedHashMap<>(seconds);
    }

    /** {@code name value} of the members that are there, for a line of result. */
    static String pick(Json.Obj document, String... names) {
        List<String> parts = new ArrayList<>();
        for (String name : names) {
            Json value = document.members().get(name);
            if (value instanceof Json.Text text) {
                parts.add(name + " " + text.value());
            } else if (value != null) {
                parts.add(name + " " + value.toText());
            }
        }
        return String.join(", ", parts);
    }

    /** Redraws the bar with the newest word of a child while a phase waits for its children. */
    private Thread ticker(ProgressBar bar, long done) {
        return Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    bar.update(done, newestWord.get());
                    Thread.sleep(TICK);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }
}
