package org.bitwitness.cli.run;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.NewFile;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.format.RecordingReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness run export}: step records for other tools, or the whole recording in one file. */
@Command(
        name = "export",
        description = "Write the step records of a recording for other tools, or the whole recording as one file.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  bitwitness run export demo-out/run --format csv --out steps.csv",
            "  bitwitness run export demo-out/run --format tar --out run.tar"
        })
final class RunExport extends BaseCommand {
    /** What a step becomes. */
    enum Format {
        /** One JSON object a line, every field of the record. */
        JSONL,
        /** One row a step, the numbers only. */
        CSV,
        /** Every file that a commitment lists, and the commitments; the same recording gives the same bytes. */
        TAR
    }

    @Parameters(paramLabel = "RUN", description = "The folder of the recording.")
    private Path run;

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "File to write; must not exist.")
    private Path out;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "jsonl: every field, one object a line; csv: the numbers; tar: every committed file. Default:"
                    + " ${DEFAULT-VALUE}.",
            defaultValue = "jsonl",
            converter = FormatConverter.class)
    private Format format = Format.JSONL;

    @Override
    protected Set<RuntimeNeed> needs() {
        return EnumSet.of(RuntimeNeed.ARROW);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws CommandFailure, ProtocolException, IOException {
        RecordingReader reader = RecordingReader.open(run);
        if (format == Format.TAR) {
            return RunTar.write(reader, out);
        }
        NewFile.write(out, to -> writeSteps(reader, new OutputStreamWriter(to, StandardCharsets.UTF_8)));
        return CommandResult.ok(
                Map.of("file", out.toString(), "steps", reader.stepCount()),
                "%d steps written to %s".formatted(reader.stepCount(), out));
    }

    private void writeSteps(RecordingReader reader, Writer to) throws IOException, ProtocolException {
        Writer writer = new BufferedWriter(to);
        if (format == Format.CSV) {
            writer.write(StepRows.CSV_HEADER + "\n");
        }
        for (long t = 0; t < reader.stepCount(); t++) {
            var record = reader.stepRecord(new StepIndex(t));
            String line = switch (format) {
                case JSONL -> StepRows.json(record).toText();
                case CSV, TAR -> StepRows.csv(record);
            };
            writer.write(line + "\n");
        }
        writer.flush();
    }

    /** Words in lower case, as everywhere on this command line. */
    static final class FormatConverter implements picocli.CommandLine.ITypeConverter<Format> {
        @Override
        public Format convert(String text) {
            try {
                return Format.valueOf(text.toUpperCase(Locale.ROOT));
            } catch (IllegalArgumentException e) {
                throw new picocli.CommandLine.TypeConversionException("expected jsonl, csv or tar, got " + text);
            }
        }
    }
}
