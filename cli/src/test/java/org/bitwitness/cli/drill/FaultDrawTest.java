package org.bitwitness.cli.drill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetBuilder;
import org.bitwitness.datasets.DatasetOptions;
import org.bitwitness.datasets.Document;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.audit.DrillList;
import org.bitwitness.protocol.format.DescriptorJson;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.PlantedFault;
import org.bitwitness.recorder.train.TrainConfig;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FaultDrawTest {
    private static final long SEED = Long.getLong("test.seed", 20260101L);
    private static final int DRAWS = 200;

    @TempDir
    private static Path folder;

    @BeforeAll
    static void buildADataset() throws Exception {
        System.out.println("seed " + SEED);
        Document document = Document.of("a.txt", "some words\n".repeat(40).getBytes(StandardCharsets.UTF_8));
        DatasetBuilder.build(List.of(document), new DatasetOptions("a", "MIT", List.of(), 500), folder.resolve("data"));
    }

    private static Descriptor descriptor(int microBatches) throws Exception {
        String text = """
            {"dataset": "data", "workers": 3,
             "model": {"layers": 1, "width": 16, "heads": 2, "ff": 24, "context": 16},
             "data": {"microBatches": %d, "sequencesPerMicroBatch": 1},
             "schedule": {"steps": 22},
             "storage": {"commitEvery": 5, "checkpointEvery": 5}}
            """.formatted(microBatches);
        byte[] json = text.getBytes(StandardCharsets.UTF_8);
        TrainConfig config = TrainConfig.read(json, "config.json", folder);
        try (Dataset dataset = Dataset.open(config.dataset())) {
            return config.descriptor(dataset.manifest());
        }
    }

    @Test
    void drawsOneFaultBetweenTwoStoredStatesAtMostAnywhereAndOfAnyKind() throws Exception {
        Descriptor descriptor = descriptor(2);
        Random random = new Random(SEED);
        Set<Long> steps = new HashSet<>();
        Set<String> stories = new HashSet<>();
        for (int i = 0; i < DRAWS; i++) {
            List<PlantedFault> faults = new FaultDraw(descriptor, random).draw(i % 6);
            assertEquals(
                    i % 6,
                    new DrillList(DescriptorJson.digest(descriptor), faults, Hashing.sha256("s"))
                            .faults()
                            .size());
            Set<Long> intervals = new HashSet<>();
            for (PlantedFault fault : faults) {
                assertTrue(intervals.add(fault.step().value() / 5), faults::toString);
                assertTrue(fault.worker().map(worker -> worker.value() < 3).orElse(true), fault::toString);
                steps.add(fault.step().value());
                stories.add(fault.kind() + (fault.story().contains("skipped") ? "-skip" : ""));
            }
        }
        assertEquals(22, steps.size(), "every step can have one");
        assertEquals(7, stories.size(), stories::toString);
    }

    @Test
    void swapsNothingWhereThereIsOneMicroBatch() throws Exception {
        Random random = new Random(SEED);
        for (int i = 0; i < DRAWS; i++) {
            for (PlantedFault fault : new FaultDraw(descriptor(1), random).draw(5)) {
                assertNotEquals("swap-micro-batches", fault.kind());
            }
        }
    }

    @Test
    void refusesMoreFaultsThanTheRunHasRoomFor() throws Exception {
        FaultDraw draw = new FaultDraw(descriptor(2), new Random(SEED));
        CommandFailure refused = assertThrows(CommandFailure.class, () -> draw.draw(6));
        assertTrue(refused.text().contains("room for 0 to 5 faults"), refused.text());
        assertThrows(CommandFailure.class, () -> draw.draw(-1));
    }

    @Test
    void refusesAPlanThatSomebodyChanged() throws Exception {
        Descriptor descriptor = descriptor(2);
        DrillList drill = new DrillList(
                DescriptorJson.digest(descriptor),
                new FaultDraw(descriptor, new Random(SEED)).draw(5),
                Hashing.sha256("salt"));
        Path file = folder.resolve("plan.json");
        PlanFile.write(file, drill);
        assertEquals(drill, PlanFile.read(file));
        assertThrows(CommandFailure.class, () -> PlanFile.write(file, drill), "a plan is never overwritten");
        String text = Files.readString(file);
        Map<String, String> edits =
                Map.of("\"salt\":\"", "\"salt\":\"f", "\"version\":1", "\"version\":2", "\"step\":", "\"step\":1");
        for (Map.Entry<String, String> edit : edits.entrySet()) {
            Path changed = folder.resolve("changed.json");
            Files.writeString(changed, text.replaceFirst(edit.getKey(), edit.getValue()));
            assertThrows(CommandFailure.class, () -> PlanFile.read(changed), edit.getKey());
        }
    }
}
