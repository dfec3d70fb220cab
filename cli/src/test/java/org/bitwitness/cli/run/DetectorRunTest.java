package org.bitwitness.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.awt.image.BufferedImage;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.imageio.ImageIO;
import org.bitwitness.cli.Main;
import org.bitwitness.cli.run.check.CheckResult;
import org.bitwitness.cli.run.check.RunChecks;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.record.DetectorInputs;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A run that records inputs of detectors, whole, and with tamer ones shown than it computed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DetectorRunTest {
    @TempDir
    static Path home;

    private TrainedRun run;

    @BeforeAll
    void train() throws Exception {
        run = TrainedRun.train(
                home, TrainedRun.CONFIG.replace("\"seed\": 5,", "\"seed\": 5, \"detectors\": \"sketch-1024\","));
    }

    @Test
    void theUntouchedTwinPassesAndItsStepsAreReplayed() throws Exception {
        for (CheckResult result : checks(run.folder())) {
            assertEquals(List.of(), result.differences(), result.name());
        }
        assertTrue(Files.exists(run.folder().resolve("detectors/000000000002.arrow")));
        assertTrue(replay(run.folder(), "STEP(2)", 0).contains("REPRODUCED"));
        assertTrue(replay(run.folder(), "GRADIENT(1,1)", 0).contains("REPRODUCED"));
    }

    @Test
    void theSameRunWithoutThemHasOtherBytesOnlyInItsRecords() throws Exception {
        TrainedRun plain = TrainedRun.train(home.resolve("plain"));
        for (long t = 0; t < 4; t++) {
            var with = RecordingReader.open(run.folder()).stepRecord(new StepIndex(t));
            var without = RecordingReader.open(plain.folder()).stepRecord(new StepIndex(t));
            assertEquals(without.combinedRoot(), with.combinedRoot());
            assertEquals(without.loss(), with.loss());
        }
        assertFalse(Files.exists(plain.folder().resolve("detectors")));
    }

    /** The liar signs everything again, so nothing but arithmetic can tell. */
    @Test
    void aTamerNormIsNamedWithItsWorkerByReplay() throws Exception {
        Path forged = home.resolve("norm");
        new Forgery()
                .detectors(
                        d -> d.worker().value() == 1 ? new DetectorInputs(d.worker(), d.norm() * 0.5, d.sketch()) : d)
                .write(run, forged);
        assertEquals(List.of(), check(forged, "detector inputs").differences());
        String report = replay(forged, "GRADIENT(1,1)", 2);
        assertTrue(report.contains("DIVERGED") && report.contains("detector.norm"), report);
        assertTrue(replay(forged, "GRADIENT(1,0)", 0).contains("REPRODUCED"));
        assertTrue(replay(forged, "STEP(3)", 2).contains("worker 1"));
    }

    @Test
    void oneElementOfASketchIsNamedByReplay() throws Exception {
        Path forged = home.resolve("sketch");
        new Forgery()
                .detectors(d -> {
                    float[] sketch = d.sketch().clone();
                    sketch[700] = -sketch[700];
                    return new DetectorInputs(d.worker(), d.norm(), sketch);
                })
                .write(run, forged);
        String report = replay(forged, "STEP(1)", 2);
        assertTrue(report.contains("detector.sketch") && report.contains("700"), report);
    }

    @Test
    void aWorkerInTheOthersPlaceAndANormThatCannotBeAreFoundWithoutReplay() throws Exception {
        Path swapped = home.resolve("swapped");
        new Forgery()
                .detectors(d -> new DetectorInputs(new WorkerId(1 - d.worker().value()), d.norm(), d.sketch()))
                .write(run, swapped);
        assertEquals(
                CheckResult.Outcome.DIFFERS, check(swapped, "detector inputs").outcome());
        Path negative = home.resolve("negative");
        new Forgery()
                .detectors(d -> new DetectorInputs(d.worker(), -d.norm(), d.sketch()))
                .write(run, negative);
        assertTrue(check(negative, "detector inputs").differences().toString().contains("a norm that can be"));
    }

    @Test
    void aChangedFileIsNotWhatTheRecordSays() throws Exception {
        Path copy = run.copyTo(home.resolve("file"));
        Path file = copy.resolve("detectors/000000000000.arrow");
        byte[] other = Files.readAllBytes(copy.resolve("detectors/000000000002.arrow"));
        byte[] bytes = Files.readAllBytes(file);
        // Somewhere in the numbers of the sketches, which are most of the file.
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
        CheckResult changed = check(copy, "detector inputs");
        assertEquals(CheckResult.Outcome.DIFFERS, changed.outcome());
        assertTrue(changed.differences().toString().contains("detectorDigest"), changed::toString);
        Files.write(file, other);
        assertEquals(CheckResult.Outcome.DIFFERS, check(copy, "detector inputs").outcome());
        assertTrue(replay(copy, "STEP(1)", 3).contains("INCONCLUSIVE"));
        Files.copy(file, copy.resolve("detectors/000000000004.arrow"));
        assertTrue(check(copy, "detector inputs").differences().toString().contains("000000000004"));
    }

    @Test
    void runShowPrintsAndDrawsHowFarTheWorkersLieApart() throws Exception {
        Path svg = home.resolve("run.svg");
        String shown = bitwitness(0, "run", "show", run.folder().toString(), "--svg", svg.toString());
        for (String row : List.of("losses apart", "norms apart", "mean cosine")) {
            assertTrue(shown.contains(row), shown);
        }
        String drawn = Files.readString(svg);
        assertEquals(5, drawn.split("<polyline", -1).length - 1, "five curves");
        assertTrue(drawn.contains("mean cosine between"));
    }

    @Test
    void runShowDrawsTheSameAsAnImage() throws Exception {
        Path png = home.resolve("run.png");
        StringWriter err = new StringWriter();
        int code = Main.run(
                new PrintWriter(new StringWriter()),
                new PrintWriter(err),
                "run",
                "show",
                run.folder().toString(),
                "--png",
                png.toString());
        assumeFalse(err.toString().contains("cannot draw text"), "skipped: this machine has no fonts");
        assertEquals(0, code, err::toString);
        BufferedImage image = ImageIO.read(png.toFile());
        assertEquals(1600, image.getWidth());
        assertEquals(2 * 5 * 180, image.getHeight());
        int curve = 0;
        int text = 0;
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                curve += (image.getRGB(x, y) & 0xffffff) == 0x1f5fa8 ? 1 : 0;
                text += x < 140 && (image.getRGB(x, y) & 0xff) < 0x40 ? 1 : 0;
            }
        }
        assertTrue(curve > 1000, "the curves have %d pixels".formatted(curve));
        assertTrue(text > 100, "the numbers at the side have %d dark pixels".formatted(text));
    }

    private static String replay(Path folder, String unit, int exit) {
        return bitwitness(exit, "replay", folder.toString(), "--unit", unit);
    }

    private static String bitwitness(int exit, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int found = Main.run(new PrintWriter(out), new PrintWriter(err), arguments);
        assertEquals(exit, found, () -> out + "\n" + err);
        return out.toString();
    }

    private static CheckResult check(Path folder, String name) throws Exception {
        return checks(folder).stream()
                .filter(result -> result.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<CheckResult> checks(Path folder) throws Exception {
        return new RunChecks(Optional.empty(), Optional.empty(), _ -> {})
                .run(folder)
                .results();
    }
}
