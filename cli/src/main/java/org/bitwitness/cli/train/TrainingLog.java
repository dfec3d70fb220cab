package org.bitwitness.cli.train;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.recorder.ReductionFacts;

/**
 * A CSV file with a line for every step, flushed at once, that spreadsheets and plotting tools read while the run goes on.
 * It is no part of the recording and nothing rests on it. A resumed run appends; a step that is computed again stands there
 * again, and the later line counts.
 */
final class TrainingLog implements AutoCloseable {
    static final String HEADER = "step,again,loss,norm,clip,learningRate,valid,tokens,seconds";

    private final PrintWriter out;
    private final LongSupplier nanos;
    private final long startedAtNanos;
    private Optional<ReductionFacts> facts = Optional.empty();

    private TrainingLog(PrintWriter out, LongSupplier nanos) {
        this.out = out;
        this.nanos = nanos;
        this.startedAtNanos = nanos.getAsLong();
    }

    static TrainingLog open(Path file, LongSupplier nanos) throws IOException {
        boolean fresh = !Files.exists(file) || Files.size(file) == 0;
        TrainingLog log = new TrainingLog(
                new PrintWriter(Files.newBufferedWriter(
                        file, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND)),
                nanos);
        if (fresh) {
            log.line(HEADER);
        }
        return log;
    }

    void reduced(ReductionFacts reduction) {
        facts = Optional.of(reduction);
    }

    void step(StepIndex step, float loss, long tokens, boolean again) {
        facts.ifPresent(f -> line("%s,%s,%s,%s,%s,%s,%s,%d,%s"
                .formatted(
                        step,
                        again,
                        loss,
                        f.norm(),
                        f.clip(),
                        f.learningRate(),
                        f.valid(),
                        tokens,
                        (nanos.getAsLong() - startedAtNanos) / 1e9)));
    }

    @Override
    public void close() {
        out.close();
    }

    private void line(String line) {
        out.println(line);
        out.flush();
    }
}
