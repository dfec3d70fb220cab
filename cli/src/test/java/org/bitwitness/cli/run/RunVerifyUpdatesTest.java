package org.bitwitness.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.bitwitness.cli.run.check.CheckResult;
import org.bitwitness.cli.run.check.RunChecks;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.format.RecordingReader;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A run that keeps updates, whole and with one thing changed in its update log. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RunVerifyUpdatesTest {
    private static final String KEEPS = TrainedRun.CONFIG.replace("\"checkpointEvery\": 2", """
            "checkpointEvery": 1, "checkpointGrowth": 3, "updates": "gradients\"""");

    @TempDir
    static Path home;

    private TrainedRun run;

    @BeforeAll
    void train() throws Exception {
        run = TrainedRun.train(home, KEEPS);
    }

    @Test
    void theUntouchedTwinPassesAndSaysHowManyUpdatesItHas() throws Exception {
        CheckResult updates = updates(run.copyTo(home.resolve("twin")));
        assertEquals(CheckResult.Outcome.PASSED, updates.outcome());
        assertTrue(updates.detail().startsWith("4 combined gradients"), updates.detail());
    }

    @Test
    void statesAreStoredAtPowersAndOneThatIsMissingIsNamed() throws Exception {
        Path copy = run.copyTo(home.resolve("powers"));
        assertEquals(
                List.of(0L, 1L, 3L, 4L),
                RecordingReader.open(copy).stateIndexes().stream()
                        .map(StateIndex::value)
                        .toList());
        assertEquals(CheckResult.Outcome.PASSED, check(copy, "states").outcome());
        try (var files = Files.walk(copy.resolve("states/000000000003"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
            }
        }
        assertTrue(check(copy, "states").differences().stream()
                .anyMatch(d -> d.message().contains("states/000000000003/scalars.json")));
    }

    @Test
    void oneMantissaBitOfAnUpdateIsNamedByItsFile() throws Exception {
        Path copy = run.copyTo(home.resolve("bit"));
        Path file = copy.resolve("updates/000000000002.update");
        byte[] bytes = Files.readAllBytes(file);
        bytes[40] ^= 1;
        Files.write(file, bytes);
        assertDiffers(copy, "updates/000000000002.update", "combinedRoot");
    }

    @Test
    void theUpdateOfAnotherStepUnderThisStepsNameIsNamed() throws Exception {
        Path copy = run.copyTo(home.resolve("swap"));
        byte[] other = Files.readAllBytes(copy.resolve("updates/000000000003.update"));
        Files.write(copy.resolve("updates/000000000001.update"), other);
        assertDiffers(copy, "updates/000000000001.update", "says step 3");
        other[19] = 1;
        Files.write(copy.resolve("updates/000000000001.update"), other);
        assertDiffers(copy, "updates/000000000001.update", "combinedRoot");
    }

    @Test
    void aMissingUpdateAndOneTooManyAreNamed() throws Exception {
        Path copy = run.copyTo(home.resolve("missing"));
        Path first = copy.resolve("updates/000000000000.update");
        Files.copy(first, copy.resolve("updates/000000000009.update"));
        assertDiffers(copy, "updates/000000000009.update", "present");
        Files.delete(first);
        assertDiffers(copy, "updates/000000000000.update", "present");
    }

    private static void assertDiffers(Path copy, String file, String field) throws Exception {
        CheckResult result = updates(copy);
        assertEquals(CheckResult.Outcome.DIFFERS, result.outcome());
        assertTrue(
                result.differences().stream()
                        .anyMatch(d -> d.file().equals(file) && d.message().contains(field)),
                () -> result.differences().toString());
    }

    private static CheckResult updates(Path folder) throws Exception {
        return check(folder, "updates");
    }

    private static CheckResult check(Path folder, String name) throws Exception {
        return new RunChecks(Optional.empty(), Optional.empty(), _ -> {})
                .run(folder).results().stream()
                        .filter(result -> result.name().equals(name))
                        .findFirst()
                        .orElseThrow();
    }
}
