package org.bitwitness.recorder.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.record.ModelSpec.Family;
import org.bitwitness.recorder.exchange.ShardPlan.Segment;
import org.bitwitness.recorder.wire.Connection;
import org.bitwitness.recorder.wire.MeshMessages;
import org.bitwitness.recorder.wire.MessageType;
import org.bitwitness.recorder.wire.PeerLostException;
import org.bitwitness.recorder.wire.TlsIdentity;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
class MeshTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Sha256 SECRET = Hashing.sha256("secret of the run");
    private static final ParameterManifest MANIFEST = ParameterManifest.of(
            new ModelConfig(Family.GPT2, 300, 16, 40, 2, 2, 2, 20, 2_000, 1e-5, 0.0, true, ModelConfig.Dropouts.NONE));

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        threads.shutdownNow();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 7, 100})
    void aPlanGivesEveryElementToOneWorkerInRunsOfLikeSize(int workers) {
        ShardPlan plan = ShardPlan.of(MANIFEST, workers);
        long[] elements = new long[workers];
        int last = 0;
        int[] next = new int[MANIFEST.count()];
        for (Segment segment : plan.segments()) {
            assertTrue(segment.owner() >= last, "owners follow one another");
            last = segment.owner();
            assertEquals(segment, plan.segments().get(segment.index()));
            assertEquals(segment, plan.ofOwner(segment.owner()).get(segment.place()));
            assertEquals(next[segment.parameter()], segment.offset());
            next[segment.parameter()] += segment.length();
            elements[segment.owner()] += segment.length();
        }
        long all = 0;
        for (int p = 0; p < next.length; p++) {
            assertEquals(MANIFEST.get(p).size(), next[p]);
            all += next[p];
        }
        for (long owned : elements) {
            assertTrue(owned <= all / workers + 65_536, "one worker owns %d of %d".formatted(owned, all));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void workersFindEachOtherAndAStrangerFindsNoPlace(boolean secure) throws Exception {
        List<Connection> coordinator = new ArrayList<>();
        List<Future<List<Optional<Connection>>>> joined = new ArrayList<>();
        for (int position = 0; position < 3; position++) {
            Connection[] ends = pair();
            coordinator.add(ends[0]);
            MeshMessages.Open message = new MeshMessages.Open(SECRET, position, 3, secure, 1 << 20, 60_000);
            joined.add(threads.submit(() -> Mesh.join(message, ends[1])));
        }
        List<MeshMessages.Peer> peers = new ArrayList<>();
        for (Connection worker : coordinator) {
            peers.add(new MeshMessages.Peer(worker.peer(), MeshMessages.At.read(worker.receive(MessageType.MESH_AT))));
        }
        assertEquals(secure, peers.getFirst().at().fingerprint().isPresent());
        // The first worker calls nobody and waits for the others, who do not know yet where it is.
        coordinator.getFirst().send(MessageType.MESH_PEERS, MeshMessages.writePeers(peers));
        for (MeshMessages.Hello wrong : List.of(
                new MeshMessages.Hello(Hashing.sha256("guess"), 1),
                new MeshMessages.Hello(SECRET, 0),
                new MeshMessages.Hello(SECRET, 3))) {
            Connection stranger = call(peers.getFirst());
            stranger.send(MessageType.MESH_HELLO, wrong.toBytes());
            assertThrows(IOException.class, () -> stranger.receive(MessageType.BUCKET));
        }
        for (Connection worker : coordinator.subList(1, 3)) {
            worker.send(MessageType.MESH_PEERS, MeshMessages.writePeers(peers));
        }
        for (Connection worker : coordinator) {
            worker.receive(MessageType.MESH_READY);
        }
        for (int position = 0; position < 3; position++) {
            List<Optional<Connection>> connections = joined.get(position).get();
            for (int peer = 0; peer < 3; peer++) {
                assertEquals(peer != position, connections.get(peer).isPresent());
                connections.get(peer).ifPresent(open::add);
            }
        }
        Connection from0 = joined.get(0).get().get(2).orElseThrow();
        Connection from2 = joined.get(2).get().get(0).orElseThrow();
        from0.send(MessageType.EXCHANGE, new byte[] {7});
        assertEquals(7, from2.receive(MessageType.EXCHANGE)[0]);
    }

    @Test
    void aWorkerThatCannotBeReachedIsNamed() throws Exception {
        Connection[] ends = pair();
        // Taken, so that nobody else gets the port, and not listening.
        Socket taken = new Socket();
        taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        int nobody = taken.getLocalPort();
        MeshMessages.Open message = new MeshMessages.Open(SECRET, 1, 2, false, 1, 60_000);
        Future<List<Optional<Connection>>> joining = threads.submit(() -> Mesh.join(message, ends[1]));
        MeshMessages.At at = MeshMessages.At.read(ends[0].receive(MessageType.MESH_AT));
        InetAddress here = InetAddress.getLoopbackAddress();
        ends[0].send(
                MessageType.MESH_PEERS,
                MeshMessages.writePeers(List.of(
                        new MeshMessages.Peer(here, new MeshMessages.At(nobody, Optional.empty())),
                        new MeshMessages.Peer(here, at))));
        Exception failed = assertThrows(Exception.class, joining::get);
        taken.close();
        assertTrue(failed.getCause() instanceof PeerLostException lost && lost.position() == 0, failed::toString);
    }

    /** The one who is silent, the one who is gone, and the one who writes where it must not. */
    @Test
    void whoeverKeepsAWorkerWaitingIsNamed() throws Exception {
        ShardPlan plan = ShardPlan.of(MANIFEST, 2);
        Connection[] ends = pair();
        Inbox inbox = new Inbox(plan, 0, 1, ends[0]);
        inbox.start();
        inbox.begin(new StepIndex(3));
        PeerLostException silent =
                assertThrows(PeerLostException.class, () -> inbox.awaitContributions(Duration.ofMillis(20)));
        assertEquals(1, silent.position());
        assertTrue(String.valueOf(silent.getMessage()).contains("has sent nothing"), silent::toString);
        int foreign = plan.ofOwner(1).getFirst().index();
        ends[1].send(MessageType.BUCKET, new MeshMessages.Bucket(new StepIndex(3), false, List.of(foreign)).toBytes());
        PeerLostException wrong = assertThrows(PeerLostException.class, () -> inbox.awaitContributions(LONG));
        assertTrue(String.valueOf(wrong.getMessage()).contains("belongs to another worker"), wrong::toString);

        Connection[] others = pair();
        Inbox cut = new Inbox(plan, 0, 1, others[0]);
        cut.start();
        cut.begin(new StepIndex(3));
        others[1].close();
        PeerLostException gone = assertThrows(PeerLostException.class, () -> cut.awaitContributions(LONG));
        assertTrue(String.valueOf(gone.getMessage()).contains("closed its connection"), gone::toString);
    }

    /** By then the first may have been hashed, and the second would be added. */
    @Test
    void aSegmentThatComesTwiceIsRefused() throws Exception {
        ShardPlan plan = ShardPlan.of(MANIFEST, 2);
        Connection[] ends = pair();
        Inbox inbox = new Inbox(plan, 0, 1, ends[0]);
        inbox.start();
        inbox.begin(new StepIndex(3));
        ShardPlan.Segment segment = plan.ofOwner(0).getFirst();
        for (int time = 0; time < plan.ofOwner(0).size() + 1; time++) {
            MeshMessages.Bucket again = new MeshMessages.Bucket(new StepIndex(3), false, List.of(segment.index()));
            ends[1].send(MessageType.BUCKET, again.toBytes());
            ends[1].sendTensors(List.of(new float[segment.length()]));
        }
        PeerLostException twice = assertThrows(PeerLostException.class, () -> inbox.awaitContributions(LONG));
        assertTrue(String.valueOf(twice.getMessage()).contains("of step 3 twice"), twice::toString);
    }

    @Test
    void everyMessageReadsBackAsItWasWrittenAndShowsNoSecret() throws Exception {
        MeshMessages.Open message = new MeshMessages.Open(SECRET, 1, 3, true, 77, 88);
        assertEquals(message, MeshMessages.Open.read(message.toBytes()));
        MeshMessages.Hello hello = new MeshMessages.Hello(SECRET, 2);
        assertEquals(hello, MeshMessages.Hello.read(hello.toBytes()));
        assertFalse((message + " " + hello).contains(SECRET.hex()));
        List<MeshMessages.Peer> peers = List.of(
                new MeshMessages.Peer(
                        InetAddress.ofLiteral("127.0.0.2"), new MeshMessages.At(9, Optional.of(Hashing.sha256("f")))),
                new MeshMessages.Peer(InetAddress.ofLiteral("::1"), new MeshMessages.At(10, Optional.empty())));
        assertEquals(peers, MeshMessages.readPeers(MeshMessages.writePeers(peers)));
        MeshMessages.Bucket bucket = new MeshMessages.Bucket(new StepIndex(4), true, List.of(5, 0, 7));
        assertEquals(bucket, MeshMessages.Bucket.read(bucket.toBytes()));
        MeshMessages.Shard shard = new MeshMessages.Shard(
                new StepIndex(4),
                List.of(Hashing.sha256("a"), Hashing.sha256("b")),
                List.of(1.5, Double.NaN),
                List.of(-3));
        assertEquals(shard, MeshMessages.Shard.read(shard.toBytes()));
    }

    private Connection call(MeshMessages.Peer peer) throws IOException {
        InetSocketAddress address =
                new InetSocketAddress(peer.address(), peer.at().port());
        Connection connection = peer.at().fingerprint().isPresent()
                ? TlsIdentity.connect(address, peer.at().fingerprint().get(), LONG)
                : new Connection(new Socket(address.getAddress(), address.getPort()), LONG);
        open.add(connection);
        return connection;
    }

    /** Two ends of a connection. */
    private Connection[] pair() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket one = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort());
            Connection[] ends = {new Connection(server.accept(), LONG), new Connection(one, LONG)};
            for (Connection end : ends) {
                end.trust();
                open.add(end);
            }
            return ends;
        }
    }
}
