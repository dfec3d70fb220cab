package org.bitwitness.attestation.witness;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.bitwitness.attestation.Planted.assertRefused;
import static org.bitwitness.attestation.log.LogTestKit.ORIGIN;
import static org.bitwitness.attestation.log.LogTestKit.logKey;
import static org.bitwitness.attestation.log.LogTestKit.witnessKey;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.Planted;
import org.bitwitness.attestation.http.HttpClients;
import org.bitwitness.attestation.log.LogTestKit;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSignature;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.vrf.EcVrfP256;
import org.bitwitness.attestation.vrf.VrfProof;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.MerkleTree;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WitnessServerTest {
    private static final int VRF_KEY = 21;

    @TempDir
    Path state;

    private final List<Sha256> leaves = new ArrayList<>();
    private WitnessServer server;

    @BeforeEach
    void start() throws Exception {
        for (int i = 0; i < 40; i++) {
            leaves.add(MerkleTree.leafHash(("leaf " + i).getBytes(UTF_8)));
        }
        server = serve();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private WitnessServer serve() throws Exception {
        Witness witness = Witness.open(
                state,
                new Witness.Settings(
                        witnessKey(1),
                        Optional.of(Planted.key(VRF_KEY)),
                        List.of(logKey().verifier()),
                        InstantSource.fixed(LogTestKit.NOON)));
        return WitnessServer.start(witness, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private Checkpoint tree(int size) {
        return new Checkpoint(ORIGIN, size, MerkleTree.root(leaves.subList(0, size)));
    }

    private static SignedNote signed(Checkpoint checkpoint) {
        return new SignedNote(checkpoint.text(), List.of(logKey().sign(checkpoint.text())));
    }

    private HttpClients.Answer post(String path, byte[] body) throws AttestationException {
        return HttpClients.post(HttpClients.resolve(server.url(), path), "text/plain", body, 1 << 16);
    }

    private HttpClients.Answer add(int oldSize, int size) throws AttestationException {
        return add(oldSize, proof(oldSize, size), signed(tree(size)));
    }

    private HttpClients.Answer add(long oldSize, List<Sha256> proof, SignedNote note) throws AttestationException {
        return post("add-checkpoint", new AddCheckpointRequest(oldSize, proof, note).toBytes());
    }

    private List<Sha256> proof(int oldSize, int size) {
        return oldSize > size
                ? List.of()
                : MerkleTree.consistencyProof(leaves.subList(0, size), oldSize).path();
    }

    private static String text(HttpClients.Answer answer) {
        return new String(answer.body(), UTF_8);
    }

    @Test
    void cosignsATreeThatGrows() throws Exception {
        for (int[] step : new int[][] {{0, 3}, {3, 3}, {3, 17}, {17, 40}}) {
            HttpClients.Answer answer = add(step[0], step[1]);
            assertEquals(200, answer.status(), answer.shown());
            NoteSignature line = SignedNote.signatureLines(text(answer)).getFirst();
            assertTrue(witnessKey(1).verifier().verifies(tree(step[1]).text(), line));
            assertEquals(
                    LogTestKit.NOON, witnessKey(1).verifier().claimedTime(line).orElseThrow());
        }
    }

    @Test
    void answersEachFaultWithTheStatusOfTheProtocol() throws Exception {
        assertEquals(200, add(0, 17).status());

        Checkpoint strange = new Checkpoint("other.example/log", 20, tree(20).root());
        assertEquals(404, add(17, proof(17, 20), signed(strange)).status());

        var impostor = LogTestKit.signer(ORIGIN, NoteKeyType.ED25519, 77);
        SignedNote byImpostor = new SignedNote(tree(20).text(), List.of(impostor.sign(tree(20).text())));
        assertEquals(403, add(17, proof(17, 20), byImpostor).status());
        NoteSignature ofAnotherTree = logKey().sign(tree(21).text());
        assertEquals(
                403,
                add(17, proof(17, 20), new SignedNote(tree(20).text(), List.of(ofAnotherTree)))
                        .status());

        assertEquals(400, add(21, 20).status(), "old size above the checkpoint's");
        assertEquals(400, post("add-checkpoint", "old 017\n\n".getBytes(UTF_8)).status());
        assertEquals(
                400,
                post("add-checkpoint", ("old 1\n" + "AAAA\n\n" + signed(tree(2))).getBytes(UTF_8))
                        .status());
        String line = java.util.Base64.getEncoder().encodeToString(new byte[32]) + "\n";
        assertEquals(
                400,
                post("add-checkpoint", ("old 17\n" + line.repeat(64) + "\n" + signed(tree(20))).getBytes(UTF_8))
                        .status());

        for (int old : new int[] {0, 3, 16, 18}) {
            HttpClients.Answer conflict = add(old, 20);
            assertEquals(409, conflict.status(), "old " + old);
            assertEquals("17\n", text(conflict));
        }
        assertEquals(409, add(10, 12).status(), "a replayed older checkpoint");

        List<Sha256> proof = proof(17, 20);
        assertEquals(
                422, add(17, proof.subList(1, proof.size()), signed(tree(20))).status());
        List<Sha256> longer = new ArrayList<>(proof);
        longer.add(Hashing.sha256("x"));
        assertEquals(422, add(17, longer, signed(tree(20))).status());
        Checkpoint fork = new Checkpoint(ORIGIN, 20, Hashing.sha256("fork"));
        assertEquals(422, add(17, proof, signed(fork)).status());
        Checkpoint sameSize = new Checkpoint(ORIGIN, 17, Hashing.sha256("fork"));
        assertEquals(409, add(17, List.of(), signed(sameSize)).status());
        assertEquals(422, add(17, proof, signed(tree(17))).status(), "equal sizes need no proof");

        assertEquals(404, post("nothing", new byte[0]).status());
        assertEquals(413, post("add-checkpoint", new byte[2 << 20]).status());
        assertEquals(200, add(17, 20).status(), "and the honest one still passes");
    }

    @Test
    void twoStoriesGetNoSecondCosignatureEvenAfterARestart() throws Exception {
        assertEquals(200, add(0, 17).status());
        server.close();
        server = serve();
        assertEquals(409, add(0, 20).status());
        leaves.set(5, Hashing.sha256("another leaf"));
        assertEquals(422, add(17, 20).status());
        assertEquals(409, add(17, List.of(), signed(tree(17))).status());
    }

    @Test
    void ofManyRequestsAtOnceOneWins() throws Exception {
        assertEquals(200, add(0, 10).status());
        List<Future<Integer>> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(12)) {
            for (int size = 11; size < 40; size++) {
                int to = size;
                Callable<Integer> request = () -> add(10, to).status();
                answers.add(threads.submit(request));
            }
        }
        int won = 0;
        for (Future<Integer> answer : answers) {
            assertTrue(answer.get() == 200 || answer.get() == 409, "status " + answer.get());
            won += answer.get() == 200 ? 1 : 0;
        }
        assertEquals(1, won);
    }

    @Test
    void answersABeaconForTheFirstTreeWithTheEntryAndForNoOther() throws Exception {
        add(0, 3);
        add(3, 8);
        add(8, 20);
        BeaconRequest first = new BeaconRequest(ORIGIN, 8, tree(8).root(), 5);
        WitnessClient client = new WitnessClient(
                new org.bitwitness.attestation.trust.WitnessIdentity(
                        "w1", witnessKey(1).verifier(), Optional.empty()),
                server.url());
        VrfProof proof = client.beacon(first);
        assertTrue(EcVrfP256.verify(Planted.key(VRF_KEY).verifyingKey(), first.alpha(), proof)
                .isPresent());

        BeaconRequest later = new BeaconRequest(ORIGIN, 20, tree(20).root(), 5);
        assertRefused("has 8 entries", () -> client.beacon(later));
        assertTrue(EcVrfP256.verify(Planted.key(VRF_KEY).verifyingKey(), later.alpha(), proof)
                .isEmpty());
        assertRefused("403", () -> client.beacon(new BeaconRequest(ORIGIN, 8, Hashing.sha256("x"), 5)));
        assertRefused("no tree", () -> client.beacon(new BeaconRequest(ORIGIN, 30, tree(30).root(), 25)));
        assertRefused("does not know", () -> client.beacon(new BeaconRequest("x.example", 8, tree(8).root(), 5)));
        assertEquals(400, post("beacon", "{}".getBytes(UTF_8)).status());
        assertEquals(
                400,
                post("beacon", "{\"origin\":\"a\",\"origin\":\"b\"}".getBytes(UTF_8))
                        .status());
    }

    @Test
    void cutsATornLineAndStopsAtAnyOtherDamage() throws Exception {
        add(0, 17);
        add(17, 20);
        server.close();
        Path history;
        try (Stream<Path> files = Files.list(state)) {
            history = files.filter(f -> f.toString().endsWith(".history"))
                    .findFirst()
                    .orElseThrow();
        }
        String whole = Files.readString(history);
        Files.writeString(history, "33 8d969eef6eca", StandardOpenOption.APPEND);
        server = serve();
        assertEquals("20\n", text(add(0, 40)));
        server.close();
        assertEquals(whole, Files.readString(history));

        for (String damaged : List.of(
                whole.replace("\n17 ", "\n16 "),
                whole.replace("\n20 ", "\n21 "),
                whole.replace("history v1", "history v2"),
                whole.substring(0, whole.indexOf("\n17 ") + 1) + "\n" + whole.substring(whole.indexOf("\n17 ") + 1))) {
            Files.writeString(history, damaged);
            assertRefused("is damaged", this::serve);
        }
        Files.writeString(history, whole);
        server = serve();
        assertEquals("20\n", text(add(0, 40)));
    }

    @Test
    void allowsOneProcessPerState() {
        assertRefused("one writer", this::serve);
    }
}
