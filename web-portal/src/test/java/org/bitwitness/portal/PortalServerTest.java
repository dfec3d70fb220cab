package org.bitwitness.portal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bitwitness.portal.view.LogPage;
import org.bitwitness.portal.view.PortalView;
import org.bitwitness.portal.view.RunPage;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the server itself decides: addresses, limits, headers, errors. A real server on a free port answers. */
final class PortalServerTest {
    private static final Sha256 RUN = Hashing.sha256("run");
    private static final Sha256 MODEL = Hashing.sha256("model");
    private static final Pattern LINK = Pattern.compile("(?:href|src)=\"([^\"]+)\"");
    private static final String HOSTILE = "<script>alert(1)</script>";

    private final HttpClient client = HttpClient.newHttpClient();
    private PortalServer server;

    PortalServerTest() throws PortalException {
        server = new PortalServer(new OneRun(), "127.0.0.1", 0);
    }

    @BeforeEach
    void isListening() {
        assertTrue(server.url().startsWith("http://127.0.0.1:"));
    }

    @AfterEach
    void stop() {
        server.close();
        client.close();
    }

    @Test
    void everyPageAndEveryFileItLoadsIsServedFromHere() throws Exception {
        for (String path : List.of("", "log", "runs/" + RUN.hex())) {
            String page = get(path, 200).body();
            Matcher link = LINK.matcher(page);
            while (link.find()) {
                assertTrue(link.group(1).startsWith("/"), "a page must load nothing from elsewhere: " + link.group());
                get(link.group(1).substring(1), 200);
            }
        }
        get("vendor/js-sha256/sha256.min.js", 200);
    }

    @Test
    void aModelsDigestLeadsToItsRunAndAnUnknownOneToAPlainNo() throws Exception {
        assertTrue(get("api/v1/models/" + MODEL.hex(), 200).body().contains(RUN.hex()));
        assertTrue(get("api/v1/models/" + RUN.hex(), 200).body().contains(RUN.hex()));
        String unknown = "0".repeat(64);
        assertTrue(get("api/v1/models/" + unknown, 404).body().contains(unknown));
    }

    @Test
    void malformedDigestsAreRefusedWithWhatWasExpected() throws Exception {
        for (String bad : List.of("abc", "Z".repeat(64), RUN.hex() + "0")) {
            assertTrue(get("api/v1/models/" + bad, 400).body().contains("64 lower-case hexadecimal digits"));
            get("api/v1/runs/" + bad, 400);
        }
    }

    @Test
    void textOfARecordingLeavesAsJsonUnderAPolicyThatRunsNoForeignScript() throws Exception {
        HttpResponse<String> answer = get("api/v1/runs/" + RUN.hex(), 200);
        assertTrue(answer.body().contains(HOSTILE), "the fixture should carry hostile text");
        assertEquals(
                "application/json", answer.headers().firstValue("Content-Type").orElse(""));
        for (String path : List.of("", "runs/" + RUN.hex(), "api/v1/runs")) {
            String policy = get(path, 200)
                    .headers()
                    .firstValue("Content-Security-Policy")
                    .orElse("");
            assertTrue(policy.startsWith("default-src 'none'; script-src 'self';"), policy);
            assertFalse(policy.contains("unsafe"), policy);
        }
    }

    @Test
    void anUnknownAddressIsAPageForPeopleAndJsonForProgramsAnd404ForBoth() throws Exception {
        for (String path : List.of("runs/" + "0".repeat(64), "runs/abc", "nowhere", "site/none.js")) {
            HttpResponse<String> page = client.send(
                    HttpRequest.newBuilder(URI.create(server.url() + path))
                            .header("Accept", "text/html,*/*;q=0.8")
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertEquals(404, page.statusCode(), path);
            assertTrue(page.body().startsWith("<!doctype html>"), path + ": " + page.body());
        }
        assertTrue(get("nowhere", 404).body().startsWith("{\"error\":"));
        assertTrue(get("api/v1/nowhere", 404).body().startsWith("{\"error\":"));
    }

    @Test
    void namesOfTheTrustFolderAreServedByKey() throws Exception {
        assertEquals(
                "{\"names\":{\"" + MODEL.hex() + "\":\"acme\"}}",
                get("api/v1/names", 200).body());
    }

    @Test
    void pathsOutsideTheSiteAndTheLogAreNotServed() throws Exception {
        for (String path : List.of(
                "site/..%2f..%2fapplication.properties",
                "site/.hidden",
                "log/../keys/log/private.pem",
                "log/..%2fkeys%2flog%2fprivate.pem",
                "vendor/anything.js",
                "api/v1/nothing",
                "api/v1/entries/-1/bundle",
                "api/v1/entries/99999999999999999999/bundle")) {
            int status = client.send(
                            HttpRequest.newBuilder(URI.create(server.url() + path))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .statusCode();
            assertTrue(status == 404 || status == 400, path + " answered " + status);
        }
    }

    @Test
    void anUnknownAddressIsAnsweredInOurWordsAndNotRepeated() throws Exception {
        for (String path : List.of("nothing", "api/v1/%3Cimg%3E", "site/none.js", "runs/a/b")) {
            HttpResponse<String> answer = get(path, 404);
            assertEquals("{\"error\":\"there is nothing at this address\"}", answer.body(), path);
            assertTrue(answer.headers().firstValue("Content-Security-Policy").isPresent(), path);
        }
    }

    @Test
    void whatIsNoHttpIsAnsweredWithTheSameHeadersAndTellsNothingOfTheServer() throws Exception {
        int port = URI.create(server.url()).getPort();
        for (String request : List.of(
                "GET /%zz HTTP/1.1\r\nHost: x",
                "GET / HTTP/9.9\r\nHost: x",
                "GET /" + "a".repeat(20_000) + " HTTP/1.1\r\nHost: x",
                "GET / HTTP/1.1\r\nX: y")) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.getOutputStream()
                        .write((request + "\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
                String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
                assertTrue(answer.matches("(?s)HTTP/1.1 (400|414|505) .*"), answer);
                assertTrue(answer.contains("\r\nContent-Security-Policy: default-src 'none';"), answer);
                assertTrue(answer.contains("\r\nX-Content-Type-Options: nosniff\r\n"), answer);
                assertTrue(answer.endsWith("{\"error\":\"the server cannot take this request\"}"), answer);
            }
        }
    }

    @Test
    void aLossThatIsNoNumberIsNullOnThePage() throws Exception {
        assertTrue(get("api/v1/runs/" + RUN.hex(), 200).body().contains("\"loss\":[1.5,null]"));
    }

    @Test
    void aBundleIsServedByteForByte() throws Exception {
        byte[] body = client.send(
                        HttpRequest.newBuilder(URI.create(server.url() + "api/v1/entries/0/bundle"))
                                .build(),
                        HttpResponse.BodyHandlers.ofByteArray())
                .body();
        assertArrayEquals(OneRun.BUNDLE, body);
        get("api/v1/entries/1/bundle", 404);
    }

    @Test
    void aPortInUseIsSaidInWords() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            PortalException failure = assertThrows(
                    PortalException.class, () -> new PortalServer(new OneRun(), "127.0.0.1", taken.getLocalPort()));
            assertTrue(String.valueOf(failure.getMessage()).contains("--port"), failure.getMessage());
            assertFalse(String.valueOf(failure.getMessage()).contains("Exception"), failure.getMessage());
        }
    }

    @Test
    void aLogThatDoesNotVerifyGivesNoAnswerButAReason() throws Exception {
        server.close();
        server = new PortalServer(new BrokenLog(), "127.0.0.1", 0);
        assertTrue(get("api/v1/runs", 503).body().contains("checkpoint is not signed"));
        assertTrue(get("runs/" + RUN.hex(), 503).body().startsWith("<!doctype html>"));
    }

    private HttpResponse<String> get(String path, int expected) throws IOException, InterruptedException {
        HttpResponse<String> answer = client.send(
                HttpRequest.newBuilder(URI.create(server.url() + path)).build(), HttpResponse.BodyHandlers.ofString());
        assertEquals(expected, answer.statusCode(), path + ": " + answer.body());
        return answer;
    }

    /** One run whose trainer put markup into a name. */
    private static class OneRun implements PortalView {
        static final byte[] BUNDLE = "{\"mediaType\":\"a bundle\"}".getBytes(StandardCharsets.UTF_8);

        @Override
        public List<RunPage> runs() throws PortalException {
            return List.of(page());
        }

        @Override
        public Map<String, String> names() {
            return Map.of(MODEL.hex(), "acme");
        }

        @Override
        public Optional<RunPage> run(Sha256 runId) throws PortalException {
            return runId.equals(RUN) ? Optional.of(page()) : Optional.empty();
        }

        @Override
        public Optional<RunPage> releasedBy(Sha256 file) {
            return file.equals(MODEL) ? Optional.of(page()) : Optional.empty();
        }

        @Override
        public LogPage log() {
            return new LogPage("example\n1\nroot\n", List.of());
        }

        @Override
        public Optional<byte[]> bundle(long index) {
            return index == 0 ? Optional.of(BUNDLE.clone()) : Optional.empty();
        }

        @Override
        public Optional<byte[]> logFile(String path) {
            return Optional.empty();
        }

        private static RunPage page() {
            return new RunPage(
                    RUN.hex(),
                    "12 of 62 units audited, all reproduced",
                    "BW3",
                    "claim",
                    false,
                    60,
                    HOSTILE,
                    Optional.empty(),
                    "root",
                    "digest",
                    "state",
                    new RunPage.Units(62, 12, 12, 0, 0, 0),
                    new RunPage.CoverageStrip("R.", 1, 1),
                    List.of(),
                    List.of(Optional.of(1.5f), Optional.empty()),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(new RunPage.ReleasedFile("model.safetensors", MODEL)),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of());
        }
    }

    /** A log whose checkpoint fails. */
    private static final class BrokenLog extends OneRun {
        @Override
        public List<RunPage> runs() throws PortalException {
            throw new PortalException("the checkpoint is not signed");
        }

        @Override
        public Optional<RunPage> run(Sha256 runId) throws PortalException {
            throw new PortalException("the checkpoint is not signed");
        }
    }
}
