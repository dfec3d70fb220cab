package org.bitwitness.cli.dispute;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.stream.Stream;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.replayer.Lie;
import org.bitwitness.replayer.TestTrainer;
import org.bitwitness.replayer.dispute.DisputeGame;
import org.bitwitness.replayer.dispute.Party;
import org.bitwitness.replayer.dispute.Status;
import picocli.CommandLine;

/** Keys of three people and runs of one trainer, in a folder; disputes are played through the commands. */
record DisputeStage(Path folder) {
    static final String UNIT = "GRADIENT(0,1)";

    static DisputeStage create(Path folder) throws Exception {
        for (Party party : Party.values()) {
            KeyFolder.createP256(folder.resolve("keys/" + party), new SecureRandom());
        }
        return new DisputeStage(folder);
    }

    String key(Party party) {
        return folder.resolve("keys/" + party).toString();
    }

    String publicKey(Party party) {
        return folder.resolve("keys/" + party + "/" + KeyFolder.PUBLIC_FILE).toString();
    }

    SigningKey signingKey(Party party) throws Exception {
        return new KeyFolder(Path.of(key(party))).signingKey();
    }

    /** Records a run of two workers and two steps. */
    void train(String run, Lie lie, boolean signed) throws Exception {
        SigningKey trainer = signingKey(Party.TRAINER);
        TestTrainer.Shape shape =
                new TestTrainer.Shape(2, TestTrainer.Shape.SMALL.reduction(), TestTrainer.Shape.SMALL.trace(), 2);
        TestTrainer.train(folder.resolve(run), shape, lie, new TestTrainer.Committer() {
            @Override
            public byte[] trainerSpki() {
                return trainer.verifyingKey().spki();
            }

            @Override
            public byte[] bundle(Commitment commitment) {
                return signed
                        ? SigstoreBundle.of(
                                        trainer.verifyingKey(),
                                        new TrainingCommitmentStatement(commitment)
                                                .toStatement()
                                                .sign(trainer),
                                        Optional.empty())
                                .toBytes()
                        : new byte[] {'{', '}'};
            }
        });
    }

    CommandLineRun open(String run, String dispute, String... more) {
        return CommandLineRun.of(Stream.concat(
                        Stream.of(
                                "dispute",
                                "open",
                                folder.resolve(run).toString(),
                                "--unit",
                                UNIT,
                                "--key",
                                key(Party.AUDITOR),
                                "--referee",
                                publicKey(Party.REFEREE),
                                "--out",
                                folder.resolve(dispute).toString()),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    CommandLineRun answer(String run, String dispute, Party party) {
        return CommandLineRun.of(
                "dispute",
                "answer",
                folder.resolve(dispute).toString(),
                "--key",
                key(party),
                "--run",
                folder.resolve(run).toString());
    }

    CommandLineRun referee(String dispute) {
        return CommandLineRun.of("dispute", "referee", folder.resolve(dispute).toString(), "--key", key(Party.REFEREE));
    }

    /** The referee at another time than now. */
    int refereeAt(String dispute, Instant now) {
        return new CommandLine(new DisputeReferee(InstantSource.fixed(now)))
                .setOut(new PrintWriter(new StringWriter()))
                .setErr(new PrintWriter(new StringWriter()))
                .execute(folder.resolve(dispute).toString(), "--key", key(Party.REFEREE));
    }

    CommandLineRun verify(String dispute, String... more) {
        return CommandLineRun.of(Stream.concat(
                        Stream.of("dispute", "verify", folder.resolve(dispute).toString(), "--json"), Stream.of(more))
                .toArray(String[]::new));
    }

    static JsonNode json(CommandLineRun run) throws IOException {
        return new ObjectMapper().readTree(run.out());
    }

    Transcript transcript(String dispute) throws Exception {
        return Transcript.read(new DisputeFolder(folder.resolve(dispute)));
    }

    /** Lets both sides answer until this is the case. */
    void play(String run, String dispute, java.util.function.Predicate<DisputeGame> until) throws Exception {
        while (true) {
            DisputeGame game = transcript(dispute).game();
            if (until.test(game)
                    || !(game.status() instanceof Status.Waiting waiting)
                    || waiting.from() == Party.REFEREE) {
                return;
            }
            CommandLineRun answer = answer(run, dispute, waiting.from());
            if (answer.exitCode() != 0) {
                throw new AssertionError(answer.err());
            }
        }
    }

    /** A copy of a dispute, to be changed. */
    Path copy(String dispute, String name) throws IOException {
        Path from = folder.resolve(dispute);
        Path to = folder.resolve(name);
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
        return to;
    }
}
