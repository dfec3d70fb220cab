package org.bitwitness.recorder.train;

import java.nio.file.Path;
import java.util.List;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.recorder.RecorderException;

/** A training command of the tests: says on standard output how far it is, so that a test can kill it there. */
final class CoordinatorMain {
    private CoordinatorMain() {}

    public static void main(String[] args) throws Exception {
        List<String> arguments = List.of(args);
        TrainingRun run = TestRuns.run(
                Path.of(arguments.get(0)), TestRuns.CONFIG, arguments.get(1), arguments.contains("--resume"));
        TrainingListener listener = new TrainingListener() {
            @Override
            public void step(StepIndex step, float loss, long tokens, boolean again) {
                say("step " + step);
            }

            @Override
            public void committed(Commitment commitment) {
                say("committed " + commitment.sequence());
            }
        };
        try {
            TrainingResult result =
                    new Trainer(run, TestRuns.means(1, TestRuns.children(), TestRuns.UNSIGNED), listener).train();
            say("final " + result.finalStateRoot());
        } catch (RecorderException e) {
            say("stopped: " + e.getMessage());
            System.exit(1);
        }
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
