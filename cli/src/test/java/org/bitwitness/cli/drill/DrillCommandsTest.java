package org.bitwitness.cli.drill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.protocol.audit.DrillList;
import org.bitwitness.protocol.record.PlantedFault;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A drill from its plan to its score: real trainer, real log, an auditor who replays and one who does not. */
class DrillCommandsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Every kind of fault once. */
    private static final int FAULTS = 7;

    @TempDir
    private Path folder;

    @Test
    void namesWhoReplayedEveryKindOfFaultAndCatchesWhoDidNot() throws Exception {
        try (DrillStage stage = new DrillStage(folder)) {
            String config = stage.config(1, 8);
            String plan = stage.at("plan.json");
            CommandLineRun planned =
                    DrillStage.run("drill", "plan", "--config", config, "--faults", "" + FAULTS, "--out", plan);
            assertEquals(0, planned.exitCode(), planned.err());
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(plan))));
            DrillList drill = PlanFile.read(Path.of(plan));
            assertEquals(FAULTS, drill.faults().size());
            Set<String> kinds = new TreeSet<>();
            drill.faults().forEach(fault -> kinds.add(fault.kind()));
            assertEquals(
                    Set.of(
                            "scale-gradient",
                            "gradient-bit",
                            "swap-micro-batches",
                            "reduction-bit",
                            "learning-rate",
                            "state-bit"),
                    kinds);
            assertFalse(planned.out().contains(drill.salt().hex()), planned.out());

            String[] train = {
                "drill", "train", "--plan", plan, "--config", config, "--out", stage.at("run"), "--in-process"
            };
            CommandLineRun early = stage.logged("trainer", train);
            assertEquals(1, early.exitCode(), early.out());
            assertTrue(early.err().contains("is not in this log"), early.err());
            assertFalse(Files.exists(folder.resolve("run")));

            CommandLineRun committed = stage.logged("drills", "drill", "commit", "--plan", plan);
            assertEquals(0, committed.exitCode(), committed.err());
            CommandLineRun trained = stage.logged("trainer", train);
            assertEquals(0, trained.exitCode(), trained.err());

            // Without arithmetic nothing shows but that micro-batches stand in another order than the seed gives.
            CommandLineRun verified = stage.reading("run", "verify", stage.at("run"));
            List<String> differing =
                    verified.out().lines().filter(line -> line.startsWith("✗")).toList();
            assertEquals(1, differing.size(), verified.out());
            assertTrue(differing.getFirst().startsWith("✗ batch order"), verified.out());

            List<String> audit = new ArrayList<>(List.of(
                    "audit", "work", "--run", stage.at("run"), "--out", stage.at("verdicts"), "--threads", "2"));
            for (PlantedFault fault : drill.faults()) {
                audit.addAll(List.of("--spot", "STEP(" + fault.step() + ")"));
            }
            long untouched = untouched(drill);
            audit.addAll(List.of("--spot", "STEP(" + untouched + ")"));
            CommandLineRun audited = stage.logged("honest", audit.toArray(String[]::new));
            assertEquals(2, audited.exitCode(), audited.err());
            assertTrue(audited.out().contains("STEP(" + untouched + ") REPRODUCED"), audited.out());
            long step = drill.faults().getFirst().step().value();
            stage.signWithoutReplaying("lazy", "run", "STEP(" + step + ")");
            stage.signWithoutReplaying("stranger", "run", "STEP(" + step + ")");

            assertEquals(3, stage.reading("drill", "verify").exitCode(), "nothing is opened yet");
            assertEquals(3, score(stage).exitCode(), "nothing is opened yet");
            String[] open = {"drill", "open", "--plan", plan, "--run", stage.at("run")};
            assertEquals(1, stage.logged("stranger", open).exitCode(), "only the key that committed opens");
            CommandLineRun opened = stage.logged("drills", open);
            assertEquals(0, opened.exitCode(), opened.err());
            stage.signWithoutReplaying("honest", "run", "STEP(" + step + ")");
            assertEquals(0, stage.reading("drill", "verify").exitCode());
            assertScore(score(stage));
        }
    }

    /** Nobody audited it, so nobody found anything: without the opening the answer would be "not audited". */
    @Test
    @Tag("slow")
    void theModelOfAnOpenedDrillIsRefusedWhereItsOwnerIsKnown() throws Exception {
        try (DrillStage stage = new DrillStage(folder)) {
            String plan = stage.at("plan.json");
            String config = stage.config(2, 2);
            DrillStage.run("drill", "plan", "--config", config, "--faults", "1", "--out", plan);
            stage.logged("drills", "drill", "commit", "--plan", plan);
            CommandLineRun trained = stage.logged(
                    "trainer",
                    "drill",
                    "train",
                    "--plan",
                    plan,
                    "--config",
                    config,
                    "--out",
                    stage.at("run"),
                    "--in-process");
            assertEquals(0, trained.exitCode(), trained.err());
            CommandLineRun again = stage.logged("drills", "drill", "commit", "--plan", plan);
            assertEquals(1, again.exitCode(), "a commitment after the run's beginning is worth nothing");
            String model = stage.at("run/released/model.safetensors");
            assertEquals(3, stage.reading("verify", model).exitCode(), "not audited");
            stage.logged("drills", "drill", "open", "--plan", plan, "--run", stage.at("run"));
            CommandLineRun unknown = stage.reading("verify", model);
            assertEquals(3, unknown.exitCode(), unknown.out());
            assertTrue(unknown.out().contains("1 faults were planted"), unknown.out());
            stage.publish("drills", "trainers");
            CommandLineRun known = stage.reading("verify", model);
            assertEquals(2, known.exitCode(), known.out());
            assertTrue(known.out().contains("do not use its model"), known.out());
            CommandLineRun score = score(stage);
            assertEquals(3, score.exitCode(), "nobody was measured: " + score.out());
        }
    }

    /** Whoever holds the list trained honestly, to accuse auditors who are right. */
    @Test
    void aListOfFaultsThatAreNotThereIsHeldAgainstNobody() throws Exception {
        try (DrillStage stage = new DrillStage(folder)) {
            String plan = stage.at("plan.json");
            String config = stage.config(3, 2);
            DrillStage.run("drill", "plan", "--config", config, "--faults", "2", "--out", plan);
            stage.logged("drills", "drill", "commit", "--plan", plan);
            String[] train = {"train", "--config", config, "--out", stage.at("run"), "--in-process"};
            assertEquals(0, stage.logged("trainer", train).exitCode());
            stage.signWithoutReplaying("honest", "run", "STEP(0)");
            stage.logged("drills", "drill", "open", "--plan", plan, "--run", stage.at("run"));
            CommandLineRun score = stage.reading("drill", "score", "--run", stage.at("run"));
            assertEquals(2, score.exitCode(), score.err());
            assertTrue(score.out().contains("A REPLAY HERE DOES NOT FIND IT"), score.out());
            assertTrue(score.out().contains("2 of 2 planted faults are not found here"), score.out());
            assertFalse(score.out().contains("NO REPLAY"), score.out());
        }
    }

    /** The one step of eight that has no fault. */
    private static long untouched(DrillList drill) {
        long step = 0;
        for (PlantedFault fault : drill.faults()) {
            step += fault.step().value() == step ? 1 : 0;
        }
        return step;
    }

    private CommandLineRun score(DrillStage stage) {
        return stage.reading("drill", "score", "--run", stage.at("run"), "--json");
    }

    private static void assertScore(CommandLineRun score) throws Exception {
        assertEquals(2, score.exitCode(), score.err());
        JsonNode document = JSON.readTree(score.out());
        for (JsonNode fault : document.get("faults")) {
            assertTrue(fault.get("holds").asBoolean(), fault::toPrettyString);
        }
        List<String> rows = new ArrayList<>();
        document.get("verdicts")
                .forEach(row -> rows.add(row.get("auditor").asText() + " "
                        + row.get("outcome").asText() + " "
                        + row.get("fault").get("kind").asText()));
        assertEquals(
                FAULTS,
                rows.stream().filter(row -> row.startsWith("honest NAMED")).count(),
                rows::toString);
        assertEquals(
                1, rows.stream().filter(row -> row.startsWith("lazy MISSED")).count(), rows::toString);
        assertEquals(1, rows.stream().filter(row -> row.startsWith(" MISSED")).count(), "an unknown key: " + rows);
        assertEquals(FAULTS + 2, rows.size(), "what comes after the opening counts for nothing: " + rows);
    }
}
