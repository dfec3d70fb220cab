package org.bitwitness.cli.train;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.JsonOutput;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.merkle.MerkleTree;
import org.bitwitness.recorder.train.TrainingResult;
import org.junit.jupiter.api.Test;

class TrainSummaryTest {
    @Test
    void aLossThatIsNoNumberIsNotReplacedByOne() {
        CommandResult result = summary(Float.NaN);
        assertTrue(JsonOutput.write(result.document()).contains("\"loss\" : null"));
        assertTrue(
                result.lines().getFirst().contains("loss NaN"), result.lines().getFirst());
    }

    @Test
    void aFiniteLossIsANumber() {
        CommandResult result = summary(2.5f);
        assertTrue(JsonOutput.write(result.document()).contains("\"loss\" : 2.5"));
        assertTrue(
                result.lines().getFirst().contains("loss 2.5000"),
                result.lines().getFirst());
    }

    private static CommandResult summary(float loss) {
        TrainingResult trained = new TrainingResult(
                new RunId(MerkleTree.EMPTY_ROOT),
                new StateRoot(MerkleTree.EMPTY_ROOT),
                7,
                1,
                100,
                loss,
                Duration.ofSeconds(2));
        return TrainSummary.of(trained, Path.of("run"), 3, true).result();
    }
}
