package org.bitwitness.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.bitwitness.cli.run.check.CheckResult;
import org.bitwitness.cli.run.check.RunChecks;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A run that keeps updates, whole and with one thing changed in its update log. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RunVerifyUpdatesTest {
    private static final String KEEPS =
            TrainedRun.CONFIG.replace("\"checkpointEvery\": 2", "\"checkpointEvery\": 4, \"updates\": \"gradients\"");

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
        return new RunChecks(Optional.empty(), Optional.empty(), _ -> {})
                .run(folder).results().stream()
                        .filter(result -> result.name().equals("updates"))
                        .findFirst()
                        .orElseThrow();
    }
}
