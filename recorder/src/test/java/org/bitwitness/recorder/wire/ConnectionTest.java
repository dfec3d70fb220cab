package org.bitwitness.recorder.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.TraceRoot;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.DetectorInputs;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.PlantedFault;
import org.bitwitness.protocol.record.Scalars;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ConnectionTest {
    private Socket raw;
    private Connection connection;

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            raw = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort());
            connection = new Connection(server.accept(), Duration.ofMillis(300));
        }
    }

    @AfterEach
    void hangUp() throws IOException {
        raw.close();
        connection.close();
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void whoTakesNothingOfWhatIsSentIsGivenUp() {
        // More than any system keeps on the way.
        float[] large = new float[64 << 20];
        SocketTimeoutException late =
                assertThrows(SocketTimeoutException.class, () -> connection.sendTensors(List.of(large)));
        assertTrue(String.valueOf(late.getMessage()).contains("has taken nothing"), late::toString);
    }

    @Test
    void framesAndTensorsArriveAsTheyWereSent() throws Exception {
        Connection other = new Connection(raw, Duration.ofSeconds(5));
        float[] tensor = new float[150_000];
        for (int i = 0; i < tensor.length; i++) {
            tensor[i] = Float.intBitsToFloat(i * 7_331);
        }
        Thread sender = Thread.ofVirtual().start(() -> {
            try {
                other.send(MessageType.READY, new byte[] {1, 2, 3});
                other.sendTensors(List.of(tensor, new float[] {-0f}));
                other.send(MessageType.STOP, new byte[0]);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        connection.setTimeout(Duration.ofSeconds(20));
        assertArrayEquals(new byte[] {1, 2, 3}, connection.receive(MessageType.READY));
        float[] received = new float[tensor.length];
        float[] last = new float[1];
        connection.receiveTensors(List.of(received, last));
        for (int i = 0; i < tensor.length; i++) {
            assertEquals(Float.floatToRawIntBits(tensor[i]), Float.floatToRawIntBits(received[i]), "element " + i);
        }
        assertEquals(0x80000000, Float.floatToRawIntBits(last[0]));
        assertEquals(Optional.empty(), connection.receiveUnless(MessageType.STEP, MessageType.STOP));
        sender.join();
    }

    /** A stranger says that a gigabyte follows: nothing of that size is allocated before the token was shown. */
    @Test
    void aLengthOverTheLimitIsRefusedBeforeAnythingIsAllocated() throws IOException {
        sendRaw(1 << 30, 1);
        assertRefused("1 to 1024 bytes");
    }

    @Test
    void negativeLengthsUnknownTypesAndOtherTypesAreRefused() throws IOException {
        sendRaw(1, 77);
        assertRefused("unknown type 77");
        sendRaw(1, MessageType.STEP.code());
        assertRefused("expected HELLO, got STEP");
        sendRaw(-1, 1);
        assertRefused("says 4294967295");
    }

    @Test
    void silenceAndACutConnectionAreToldApart() throws IOException {
        assertThrows(SocketTimeoutException.class, () -> connection.receive(MessageType.HELLO));
        sendRaw(100, 1);
        raw.shutdownOutput();
        assertThrows(EOFException.class, () -> connection.receive(MessageType.HELLO));
    }

    @Test
    void aFailureOfTheOtherSideIsItsMessageWithoutControlCharacters() throws IOException {
        new Connection(raw, Duration.ofSeconds(5))
                .send(MessageType.FAILED, Messages.writeFailed("disk\u001b[31m full"));
        PeerFailedException e = assertThrows(PeerFailedException.class, () -> connection.receive(MessageType.READY));
        assertEquals("disk [31m full", e.getMessage());
    }

    @Test
    void everyMessageReadsBackAsItWasWritten() throws ProtocolException {
        for (OptionalLong pid : List.of(OptionalLong.of(77), OptionalLong.empty())) {
            Messages.Hello hello = new Messages.Hello(Hashing.sha256("t"), new WorkerId(3), pid);
            assertEquals(hello, Messages.Hello.read(hello.toBytes()));
        }
        Scalars scalars = Scalars.initial(Layout.ofCount(2));
        PlantedFault fault = new PlantedFault.ScaledGradient(new StepIndex(4), new WorkerId(1), 1.5f);
        for (List<PlantedFault> faults : List.of(List.of(fault), List.<PlantedFault>of())) {
            for (OptionalInt share : List.of(OptionalInt.empty(), OptionalInt.of(1))) {
                Messages.Job job = new Messages.Job(
                        "{}", Layout.ofCount(2), "/data", "vector", 2, scalars, faults, faults.isEmpty(), share);
                assertEquals(job, Messages.Job.read(job.toBytes()));
            }
        }
        for (Optional<Sha256> probe : List.of(Optional.of(Hashing.sha256("p")), Optional.<Sha256>empty())) {
            StateMessages.Held held = new StateMessages.Held(
                    Hashing.sha256("s"), probe.map(List::of).orElse(List.of()));
            StateMessages.Ready ready = new StateMessages.Ready(held, 1L << 40, probe);
            assertEquals(ready, StateMessages.Ready.read(ready.toBytes()));
        }
        for (boolean yes : new boolean[] {false, true}) {
            assertEquals(yes, StateMessages.readFlag(StateMessages.writeFlag(yes)));
        }
        JoinMessage join = new JoinMessage(Hashing.sha256("t"), "host-a.example", 77, "0.1.0");
        assertEquals(join, JoinMessage.read(join.toBytes()));
        for (String host : List.of("", "a b", "a:1", "ä", "x".repeat(300))) {
            assertThrows(IllegalArgumentException.class, () -> new JoinMessage(Hashing.sha256("t"), host, 77, "0.1.0"));
        }
        Messages.Step step = new Messages.Step(new StepIndex(9), 1, 0.25f);
        assertEquals(step, Messages.Step.read(step.toBytes()));
        float[] sketch = new float[DetectorInputs.SKETCH_SIZE];
        sketch[17] = -0.0f;
        Messages.Gradient gradient = new Messages.Gradient(
                new StepIndex(9),
                List.of(new MicroBatchRecord(List.of(5L, 6L), Hashing.sha256("rows"))),
                new GradientRoot(Hashing.sha256("g")),
                1.5,
                16,
                Optional.of(new TraceRoot(Hashing.sha256("trace"))),
                List.of(List.of(Hashing.sha256("a"), Hashing.sha256("b")), List.of()),
                Optional.of(new DetectorInputs(new WorkerId(3), 0.5, sketch)));
        assertEquals(gradient, Messages.Gradient.read(gradient.toBytes()));
        Messages.Combined combined = new Messages.Combined(new StepIndex(9), true, 0.5f, 1e-3);
        assertEquals(combined, Messages.Combined.read(combined.toBytes()));
        assertThrows(ProtocolException.class, () -> Messages.Step.read(combined.toBytes()));
        byte[] cut = Arrays.copyOf(gradient.toBytes(), gradient.toBytes().length - 1);
        assertThrows(ProtocolException.class, () -> Messages.Gradient.read(cut));
    }

    private void assertRefused(String part) {
        IOException e = assertThrows(IOException.class, () -> connection.receive(MessageType.HELLO));
        assertTrue(String.valueOf(e.getMessage()).contains(part), e.getMessage());
    }

    private void sendRaw(int length, int type) throws IOException {
        DataOutputStream out = new DataOutputStream(raw.getOutputStream());
        out.writeInt(length);
        out.writeByte(type);
        out.flush();
    }
}
