package org.bitwitness.cli.dispute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.http.HttpClients;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.cli.CommandLineRun;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.replayer.dispute.FaultyBackend;
import org.bitwitness.replayer.dispute.Move;
import org.bitwitness.replayer.dispute.Party;
import org.bitwitness.replayer.dispute.Status;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A dispute between machines: the referee serves it, the sides answer over HTTP. */
class DisputeServerTest {
    private static final String LIAR = "liar";
    private static final Instant START = Instant.parse("2026-11-30T12:00:00Z");

    @TempDir
    private static Path temp;

    private static DisputeStage stage;

    private final AtomicReference<Instant> now = new AtomicReference<>(START);

    @BeforeAll
    static void train() throws Exception {
        stage = DisputeStage.create(temp);
        stage.train(LIAR, FaultyBackend.lie("linear", "transformer.h.0.attn.c_attn"), true);
    }

    private DisputeServer serve(String dispute) throws Exception {
        assertEquals(0, stage.open(LIAR, dispute, "--answer-within", "60").exitCode());
        return DisputeServer.start(
                new DisputeFolder(temp.resolve(dispute)),
                stage.signingKey(Party.REFEREE),
                new RefereeDesk(now::get, note -> {}),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static CommandLineRun answer(URI url, Party party, String... more) {
        return CommandLineRun.of(Stream.concat(
                        Stream.of(
                                "dispute",
                                "answer",
                                url.toString(),
                                "--key",
                                stage.key(party),
                                "--run",
                                temp.resolve(LIAR).toString()),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    @Test
    void bothSidesGoOnAnsweringUntilItIsDecided() throws Exception {
        try (DisputeServer server = serve("follow")) {
            String notes = temp.resolve("follow/auditor.trace").toString();
            CompletableFuture<CommandLineRun> auditor = CompletableFuture.supplyAsync(
                    () -> answer(server.url(), Party.AUDITOR, "--follow", "--notes", notes));
            CommandLineRun trainer = answer(server.url(), Party.TRAINER, "--follow");
            assertEquals(0, trainer.exitCode(), trainer.err());
            assertEquals(0, auditor.join().exitCode(), auditor.join().err());
            assertTrue(trainer.out().contains("the referee has ruled TRAINER_LOSES"), trainer.out());
        }
    }

    @Test
    void bothSidesAnswerOverHttpAndTheRefereeRulesByItself() throws Exception {
        try (DisputeServer server = serve("http")) {
            String notes = temp.resolve("http/auditor.trace").toString();
            while (stage.transcript("http").game().status() instanceof Status.Waiting waiting) {
                CommandLineRun run = answer(server.url(), waiting.from(), "--notes", notes);
                assertEquals(0, run.exitCode(), run.err());
            }
            String url = server.url().toString();
            assertEquals(0, CommandLineRun.of("dispute", "show", url).exitCode());
            CommandLineRun verified = CommandLineRun.of("dispute", "verify", url, "--json");
            assertEquals(0, verified.exitCode(), verified.out());
            assertEquals(
                    "TRAINER_LOSES",
                    DisputeStage.json(verified).get("verifiedOutcome").asText());
        }
        assertEquals(0, stage.verify("http").exitCode(), "the folder it leaves holds without it");
    }

    @Test
    void anAnswerAfterTheDeadlineIsTooLate() throws Exception {
        try (DisputeServer server = serve("late")) {
            now.set(START.plusSeconds(61));
            CommandLineRun run = answer(server.url(), Party.TRAINER);
            assertEquals(2, run.exitCode(), run.err());
            Status.Ruled ruled = (Status.Ruled) stage.transcript("late").game().status();
            assertEquals(Move.Ground.FORFEIT, ruled.ruling().ground());
            assertEquals(Move.Outcome.TRAINER_LOSES, ruled.ruling().outcome());
        }
    }

    @Test
    void strangersWriteNothing() throws Exception {
        try (DisputeServer server = serve("strangers")) {
            Transcript transcript = stage.transcript("strangers");
            Move move = new Move.Halves(Hashing.sha256(), Hashing.sha256());
            byte[] body = transcript.messages().getLast().message().next(move).toBytes();
            String next = DisputeFolder.name(transcript.messages().size());
            SigningKey stranger = SigningKey.generate(new java.security.SecureRandom());
            byte[] envelope =
                    DsseEnvelope.sign(Transcript.PAYLOAD_TYPE, body, stranger).toBytes();
            assertEquals(403, post(server, next, envelope));
            byte[] byReferee = DsseEnvelope.sign(Transcript.PAYLOAD_TYPE, body, stage.signingKey(Party.REFEREE))
                    .toBytes();
            assertEquals(403, post(server, next, byReferee));
            assertEquals(409, post(server, DisputeFolder.name(0), envelope));
            assertEquals(409, post(server, DisputeFolder.name(40), envelope));
            assertEquals(405, post(server, "premise/step.bin", envelope));
            assertEquals(403, post(server, "data/" + "00".repeat(32) + ".f32", new byte[4]));
            assertEquals(404, post(server, "data/..%2f..%2fx", new byte[4]));
            assertFalse(Files.exists(temp.resolve("strangers").resolve(next)));
            assertEquals(
                    transcript.messages().size(),
                    stage.transcript("strangers").messages().size());
        }
    }

    /** The referee's key may be in other hands too; what it says here comes from the server's own clock and backends. */
    @Test
    void takesNoMessageOfTheRefereeFromOutside() throws Exception {
        try (DisputeServer server = serve("referee")) {
            Transcript transcript = stage.transcript("referee");
            long deadline = transcript.game().receipt().orElseThrow().deadline();
            Move early = new Move.Ruling(
                    deadline + 1, Move.Outcome.TRAINER_LOSES, Move.Ground.FORFEIT, List.of(), Optional.empty());
            byte[] body = transcript.messages().getLast().message().next(early).toBytes();
            byte[] envelope = DsseEnvelope.sign(Transcript.PAYLOAD_TYPE, body, stage.signingKey(Party.REFEREE))
                    .toBytes();
            assertEquals(Party.REFEREE, stage.transcript("referee").take(envelope), "in turn and well made");
            assertEquals(
                    403, post(server, DisputeFolder.name(transcript.messages().size()), envelope));
            assertTrue(stage.transcript("referee").game().status() instanceof Status.Waiting);
        }
    }

    private static int post(DisputeServer server, String path, byte[] body) throws Exception {
        return HttpClients.post(HttpClients.resolve(server.url(), path), "application/octet-stream", body, 1 << 16)
                .status();
    }

    @Test
    void dataThatIsNotWhatItsNameSaysIsNotTaken() throws Exception {
        assertEquals(0, stage.open(LIAR, "local").exitCode());
        stage.play(LIAR, "local", game -> false);
        Path copy = stage.copy("local", "emptied");
        try (var files = Files.list(copy.resolve("data"))) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        try (DisputeServer server = DisputeServer.start(
                new DisputeFolder(copy),
                stage.signingKey(Party.REFEREE),
                new RefereeDesk(now::get, note -> {}),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            try (var files = Files.list(temp.resolve("local/data"))) {
                for (Path file : files.toList()) {
                    byte[] bytes = Files.readAllBytes(file);
                    byte[] changed = bytes.clone();
                    changed[0] ^= 1;
                    assertEquals(403, post(server, "data/" + file.getFileName(), changed));
                    assertEquals(201, post(server, "data/" + file.getFileName(), bytes));
                }
            }
            assertTrue(stage.transcript("emptied").game().status() instanceof Status.Ruled);
        }
    }
}
