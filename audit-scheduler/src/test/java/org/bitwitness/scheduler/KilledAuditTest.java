package org.bitwitness.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.replayer.KeepSecret;
import org.bitwitness.replayer.Lie;
import org.bitwitness.replayer.TestTrainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An auditor's process that is killed with SIGKILL after a replay and before the verdict on it is logged. */
class KilledAuditTest {
    @TempDir
    private Path temp;

    /** Notes, as a person at the machine reads them. */
    private record Heard(List<String> notes) implements AuditListener {
        @Override
        public void challenged(long logIndex, List<AuditUnit> units, boolean resumed) {}

        @Override
        public void replaying(int units) {}

        @Override
        public void judged(LoggedVerdict verdict, int done, int total) {}

        @Override
        public void note(String words) {
            notes.add(words);
        }
    }

    @Test
    void logsWhatItHadReplayedWithoutReplayingItAgain() throws Exception {
        try (AuditStage stage = new AuditStage(temp)) {
            Path run = temp.resolve("run");
            TestTrainer.train(run, TestTrainer.Shape.SMALL, Lie.NONE, stage.committer(stage.trainer));
            assertSecrets(stage, run);
            Path out = temp.resolve("out");
            killBeforeTheVerdict(stage, run, out);
            assertEquals(List.of(), stage.survey().verdicts(), "no verdict is in the log yet");
            List<Path> kept = files(out.resolve("kept"));
            assertEquals(1, kept.size(), kept::toString);

            Heard heard = new Heard(new ArrayList<>());
            AuditResult result = new AuditWorker(
                            AuditThatStops.setting(
                                    stage.trust, stage.url().toString(), stage.client(), stage.auditor, out),
                            heard)
                    .work(run, Integer.MAX_VALUE);
            AuditUnit first = result.units().getFirst();
            assertEquals(
                    List.of(first.text() + " was replayed before this process began; its kept report is used"),
                    heard.notes());
            assertEquals(2, result.verdicts().size());
            result.verdicts()
                    .forEach(verdict ->
                            assertEquals(Verdict.REPRODUCED, verdict.report().verdict()));
            assertEquals(List.of(), files(out.resolve("kept")), "what is in the log is kept no more");
        }
    }

    private void killBeforeTheVerdict(AuditStage stage, Path run, Path out) throws Exception {
        Path pem = Files.writeString(temp.resolve("auditor.pem"), stage.auditor.pem());
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // As this JVM: what is kept is bound to the machine, its JVM's options included.
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), AuditThatStops.class.getName()));
        command.addAll(List.of(
                run.toString(),
                stage.url().toString(),
                temp.resolve("trust").toString(),
                pem.toString(),
                out.toString()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
        Process process = builder.start();
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            List<String> lines = new ArrayList<>();
            Optional<String> line = Optional.ofNullable(said.readLine());
            while (line.isPresent() && !line.get().equals(AuditThatStops.HERE)) {
                lines.add(line.get());
                line = Optional.ofNullable(said.readLine());
            }
            assertTrue(line.isPresent(), () -> "the process ended by itself: " + String.join("\n", lines));
        } finally {
            process.destroyForcibly();
            process.waitFor();
        }
    }

    private static void assertSecrets(AuditStage stage, Path run) throws Exception {
        Commitment commitment = AuditTarget.find(run, stage.survey()).commitment();
        Keeping keeping = new Keeping(run, "1", Duration.ZERO);
        AuditUnit unit = AuditUnit.parse("STEP(1)");
        Optional<Sha256> challenge = Optional.of(Hashing.sha256("challenge"));
        KeepSecret secret =
                keeping.place(stage.auditor, commitment, unit, challenge).secret();
        assertEquals(
                secret,
                keeping.place(stage.auditor, commitment, unit, challenge).secret(),
                "a process that is started again makes it again");
        List<KeepSecret> others = List.of(
                keeping.place(stage.second, commitment, unit, challenge).secret(),
                keeping.place(stage.auditor, commitment, AuditUnit.parse("STEP(2)"), challenge)
                        .secret(),
                keeping.place(stage.auditor, commitment, unit, Optional.empty()).secret());
        others.forEach(other -> assertNotEquals(secret, other, "every task has a secret that only the key makes"));
    }

    private static List<Path> files(Path folder) throws Exception {
        try (Stream<Path> found = Files.list(folder)) {
            return found.toList();
        }
    }
}
