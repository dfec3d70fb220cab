package org.bitwitness.attestation.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.bitwitness.attestation.Planted.assertRefused;
import static org.bitwitness.attestation.log.LogTestKit.ALICE;
import static org.bitwitness.attestation.log.LogTestKit.envelope;
import static org.bitwitness.attestation.log.LogTestKit.twoWitnesses;
import static org.bitwitness.attestation.log.LogTestKit.witnessedSettings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.Planted;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.http.HttpClients;
import org.bitwitness.protocol.Hashing;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogServerTest {
    @TempDir
    Path folder;

    private LogServer server;

    @BeforeEach
    void start() throws Exception {
        LocalTileLog log = LocalTileLog.open(folder, witnessedSettings());
        server = LogServer.start(
                log, FolderStore.existing(folder), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private HttpClients.Answer post(String path, byte[] body) throws AttestationException {
        return HttpClients.post(HttpClients.resolve(server.url(), path), "application/json", body, 1 << 20);
    }

    private int get(String path) throws AttestationException {
        return HttpClients.get(HttpClients.resolve(server.url(), path), 1 << 24).status();
    }

    @Test
    void appendsForManyClientsAtOnceAndServesWhatItAppended() throws Exception {
        TransparencyLog client = new HttpLogClient(server.url(), twoWitnesses());
        List<Future<LogReceipt>> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < 40; i++) {
                DsseEnvelope envelope = envelope("statement " + i);
                Callable<LogReceipt> append = () -> client.append(envelope, ALICE.verifyingKey());
                answers.add(threads.submit(append));
            }
        }
        Set<Long> indexes = new HashSet<>();
        LogReader reader = LogReader.open(LogSources.at(server.url().toString()), twoWitnesses());
        for (int i = 0; i < answers.size(); i++) {
            LogReceipt receipt = answers.get(i).get();
            indexes.add(receipt.index());
            assertEquals(
                    Hashing.sha256("statement " + i),
                    reader.entry(receipt.index()).payloadDigest().orElseThrow());
        }
        assertEquals(40, indexes.size());
        assertEquals(40, reader.size());
        assertEquals(List.of(), reader.missingPayloads());
        LogFsck.check(FolderStore.existing(folder), twoWitnesses());
    }

    @Test
    void refusesForgedMalformedAndOversizedRequestsAndGoesOn() throws Exception {
        AddRequest forged = new AddRequest(envelope("forged"), Planted.key(2).verifyingKey());
        HttpClients.Answer answer = post("api/v1/add", forged.toBytes());
        assertEquals(403, answer.status());
        assertTrue(answer.shown().contains("another key signed"), answer.shown());
        assertEquals(400, post("api/v1/add", "{".getBytes(UTF_8)).status());
        assertEquals(
                400,
                post("api/v1/add", "{\"envelope\":{},\"envelope\":{}}".getBytes(UTF_8))
                        .status());
        String good = new String(new AddRequest(envelope("good"), ALICE.verifyingKey()).toBytes(), UTF_8);
        assertEquals(
                400,
                post(
                                "api/v1/add",
                                good.replace("\"publicKey\"", "\"publickey\"").getBytes(UTF_8))
                        .status());
        assertEquals(413, post("api/v1/add", new byte[4 << 20]).status());
        assertEquals(405, post("checkpoint", new byte[0]).status());
        assertEquals(405, get("api/v1/add"));
        assertEquals(404, get("checkpoint"), "nothing was published by any of these");
        assertEquals(200, post("api/v1/add", good.getBytes(UTF_8)).status());
        assertEquals(200, get("checkpoint"));
    }

    @Test
    void servesTheFilesOfALogAndNothingElse() throws Exception {
        new HttpLogClient(server.url(), twoWitnesses()).append(envelope("a"), ALICE.verifyingKey());
        assertEquals(200, get("checkpoint"));
        assertEquals(200, get("tile/0/000.p/1"));
        assertEquals(200, get("tile/entries/000.p/1"));
        assertEquals(200, get("payload/" + Hashing.sha256("a").hex()));
        for (String path : List.of(
                ".writer/tree",
                ".writer/lock",
                "tile/0/000.p/2",
                "payload/" + Hashing.sha256("b").hex(),
                "payload/" + Hashing.sha256("a").hex().toUpperCase(java.util.Locale.ROOT),
                "payload/../checkpoint",
                "tile/entries/..%2f..%2fcheckpoint",
                "%2e%2e/checkpoint",
                "/checkpoint",
                "")) {
            assertEquals(404, get(path), path);
        }
    }

    @Test
    void aClientBelievesNoReceiptThatItsOwnPolicyRefuses() throws Exception {
        var other = LogTestKit.policy("log " + LogTestKit.logKey().verifier().vkey() + "\nwitness w3 "
                + LogTestKit.witnessKey(3).verifier().vkey() + "\nquorum w3\n");
        assertRefused(
                "the policy needs w3",
                () -> new HttpLogClient(server.url(), other).append(envelope("a"), ALICE.verifyingKey()));
    }

    @Test
    void closingFinishesWhatWasTakenAndFreesTheFolder() throws Exception {
        new HttpLogClient(server.url(), twoWitnesses()).append(envelope("a"), ALICE.verifyingKey());
        server.close();
        assertRefused(
                "nobody listens",
                () -> new HttpLogClient(server.url(), twoWitnesses()).append(envelope("b"), ALICE.verifyingKey()));
        LocalTileLog.open(folder, witnessedSettings()).close();
        start();
        assertEquals(
                0,
                new HttpLogClient(server.url(), twoWitnesses())
                        .append(envelope("a"), ALICE.verifyingKey())
                        .index());
    }

    @Test
    void aBatchEndsBeforeLargeStatementsFillTheMemory() {
        Queue<LogServer.Waiting> queue = new ArrayDeque<>();
        int large = 1 << 20;
        for (int i = 0; i < 100; i++) {
            queue.add(waiting(large));
        }
        List<LogServer.Waiting> batch = new ArrayList<>(List.of(waiting(large)));
        LogServer.fill(batch, queue);
        assertEquals(LogServer.MAX_BATCH_BYTES / large, batch.size());
        assertEquals(101 - batch.size(), queue.size(), "the others wait for the next batch");
        queue.clear();
        for (int i = 0; i < 2000; i++) {
            queue.add(waiting(10));
        }
        batch.clear();
        LogServer.fill(batch, queue);
        assertEquals(1024, batch.size());
    }

    private static LogServer.Waiting waiting(int bytes) {
        return new LogServer.Waiting(new NewEntry(new byte[1], new byte[bytes - 1]), new CompletableFuture<>());
    }

    @Test
    void saysWhenAPortIsTaken() throws Exception {
        int port = server.url().getPort();
        try (LocalTileLog log = LocalTileLog.open(folder.resolve("second"), witnessedSettings())) {
            assertRefused(
                    "another process may use the port",
                    () -> LogServer.start(
                            log,
                            FolderStore.existing(folder),
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
        }
    }

    @Test
    void aClientThatSaysNothingDoesNotStopTheOthers() throws Exception {
        List<Socket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 50; i++) {
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), server.url().getPort());
                socket.getOutputStream().write("POST /api/v1/add HTTP/1.1\r\n".getBytes(UTF_8));
                silent.add(socket);
            }
            new HttpLogClient(server.url(), twoWitnesses()).append(envelope("a"), ALICE.verifyingKey());
            assertEquals(200, get("checkpoint"));
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    @Test
    void answersPlainHttpOnALineByLineSocket() throws Exception {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.url().getPort())) {
            socket.getOutputStream().write("GET /checkpoint HTTP/1.0\r\n\r\n".getBytes(UTF_8));
            try (InputStream in = socket.getInputStream()) {
                String answer = new String(in.readAllBytes(), UTF_8);
                assertTrue(answer.startsWith("HTTP/1.1 404"), answer);
            }
        }
    }
}
