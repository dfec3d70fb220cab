package org.bitwitness.attestation.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

class HttpServiceTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int PLACES = 3;

    @Test
    void largeRequestsKeepTheirPlaceUntilTheyAreAnswered() throws Exception {
        CountDownLatch inside = new CountDownLatch(PLACES);
        CountDownLatch go = new CountDownLatch(1);
        HttpService.Handler handler = request -> {
            if (request.body().length >= HttpService.SMALL_BODY_BYTES) {
                inside.countDown();
                await(go);
            }
            return HttpService.Reply.text(200, request.body().length + " bytes");
        };
        HttpService.Bodies bodies = new HttpService.Bodies(1 << 20, new Semaphore(PLACES), Duration.ZERO);
        try (HttpService server = HttpService.start(ANY, bodies, handler);
                ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> waiting = new ArrayList<>();
            for (int i = 0; i < PLACES; i++) {
                waiting.add(clients.submit(() -> post(server, 1 << 20).status()));
            }
            inside.await();
            HttpClients.Answer refused = post(server, HttpService.SMALL_BODY_BYTES);
            assertEquals(503, refused.status());
            assertTrue(refused.shown().contains("try again later"), refused.shown());
            assertEquals(200, post(server, HttpService.SMALL_BODY_BYTES - 1).status(), "small ones go on");
            go.countDown();
            for (Future<Integer> answer : waiting) {
                assertEquals(200, answer.get());
            }
            HttpClients.Answer later = post(server, 1 << 20);
            assertEquals("1048576 bytes", later.shown(), "the places are free again");
            assertEquals(413, post(server, (1 << 20) + 1).status());
        }
    }

    private static HttpClients.Answer post(HttpService server, int bytes) throws Exception {
        return HttpClients.post(server.url(), "application/octet-stream", new byte[bytes], 1 << 10);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
