package org.bitwitness.cli.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.bitwitness.cli.run.check.Difference;
import org.bitwitness.cli.run.check.RunChecks;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.format.RecordingReader;
import org.bitwitness.protocol.format.SafetensorsFile;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.DropoutSpec;
import org.bitwitness.protocol.store.LocalFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Recordings made to harm whoever checks them, or to say something else than was trained. Each is a real one, changed. */
class HostileRecordingTest {
    private static final String STATE = "states/000000000002/model.safetensors";
    private static final long MOST_BYTES = 200L << 20;

    @TempDir
    private static Path home;

    private static TrainedRun run;
    private static int copies;

    @BeforeAll
    static void train() throws Exception {
        run = TrainedRun.train(home);
    }

    /** Each of these is refused by name, and a checker that meets it does not take the memory that it asks for. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        [257,16]      | [1152921504606846976,1] | safetensors
        [257,16]      | [257,17]                | safetensors
        [16,48]       | [257,16]                | safetensors
        "F32","shape" | "F99","shape"           | safetensors
        "data_offsets":[0, | "data_offsets":[4, | safetensors
        """)
    void aStateWhoseHeaderClaimsOtherTensorsIsRefused(String from, String to, String word) throws Exception {
        assertRefused(STATE, bytes -> header(bytes, text -> text.replaceFirst("\\Q" + from + "\\E", to)), word);
    }

    @ParameterizedTest
    @ValueSource(longs = {1L << 30, 1L << 62, -1L})
    void aHeaderThatIsLongerThanTheFileIsRefused(long length) throws Exception {
        assertRefused(
                STATE,
                bytes -> {
                    byte[] changed = bytes.clone();
                    ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN).putLong(length);
                    return changed;
                },
                "safetensors");
    }

    @Test
    void aStateWithNumbersThatAreNoneIsAnotherState() throws Exception {
        assertRefused(
                STATE,
                bytes -> {
                    byte[] changed = bytes.clone();
                    ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN).putInt(changed.length - 4, 0x7fc00000);
                    return changed;
                },
                "stateRoot");
    }

    /** Edits of the descriptor's text alone; what it says is refused, or differs from what was committed. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        "layout":[0,1]                | "layout":[0,1,2]                  | descriptor
        "layout":[0,1]                | "layout":[0,1000000000]           | descriptor
        "profile":"F32-C512 v1"       | "profile":"BF16-C512 v1"          | descriptor
        "microBatches":2              | "microBatches":2000000000         | descriptor
        "width":16                    | "width":1152921504606846976       | descriptor
        "tree":"ascending"            | "tree":"binary-blocks"            | descriptor
        """)
    void anEditedDescriptorIsNamed(String from, String to, String word) throws Exception {
        assertRefused(
                "descriptor.json",
                bytes -> {
                    String text = new String(bytes, StandardCharsets.UTF_8);
                    String edited = text.replaceFirst("\\Q" + from + "\\E", to);
                    assertNotEquals(text, edited, "nothing was edited");
                    return edited.getBytes(StandardCharsets.UTF_8);
                },
                word);
    }

    /** The whole recording signed anew under another descriptor: the state roots were made under the true one. */
    @Test
    void anotherDropoutRateSignedAnewDoesNotFitTheStateRoots() throws Exception {
        Path copy = fresh();
        new Forgery().descriptor(HostileRecordingTest::moreDropout).write(run, copy);
        String messages = messages(verify(copy));
        assertTrue(messages.contains("stateRoot"), messages);
    }

    private static Descriptor moreDropout(Descriptor d) {
        return new Descriptor(
                d.profile(),
                d.seed(),
                d.model(),
                d.optimizer(),
                d.schedule(),
                DropoutSpec.uniform(0.2),
                d.data(),
                d.tokenizer(),
                d.initial(),
                d.aggregation(),
                d.layout(),
                d.trace(),
                d.storage());
    }

    /** Bytes that pad a file change no tensor and no record: only the file's own hash shows them. */
    @Test
    void garbageInThePaddingChangesNoTensorAndIsStillSeen() throws Exception {
        Path copy = run.copyTo(fresh());
        Path state = copy.resolve(STATE);
        byte[] whole = Files.readAllBytes(state);
        Files.write(state, header(whole, text -> text + " \n\t     "));
        try (SafetensorsFile before = open(run.folder().resolve(STATE));
                SafetensorsFile after = open(state)) {
            for (String tensor : before.tensors().keySet()) {
                assertArrayEquals(before.read(tensor), after.read(tensor), tensor);
            }
        }
        assertEquals(
                RecordingReader.open(run.folder()).stepRecord(new StepIndex(1)).stateRootAfter(),
                RecordingReader.open(copy).stepRecord(new StepIndex(1)).stateRootAfter());
        String messages = messages(verify(copy));
        assertTrue(messages.contains(STATE + ": "), messages);
    }

    private static SafetensorsFile open(Path file) throws Exception {
        return SafetensorsFile.open(file.toString(), LocalFile.open(file.toString(), file));
    }

    /** Changes the JSON of a safetensors header without moving the data. */
    private static byte[] header(byte[] bytes, UnaryOperator<String> change) {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int length = (int) in.getLong();
        String text = new String(bytes, Long.BYTES, length, StandardCharsets.UTF_8);
        byte[] changed = change.apply(text).getBytes(StandardCharsets.UTF_8);
        assertNotEquals(text, new String(changed, StandardCharsets.UTF_8), "nothing was changed");
        ByteBuffer out =
                ByteBuffer.allocate(bytes.length + changed.length - length).order(ByteOrder.LITTLE_ENDIAN);
        out.putLong(changed.length).put(changed).put(bytes, Long.BYTES + length, bytes.length - Long.BYTES - length);
        return out.array();
    }

    private static void assertRefused(String file, UnaryOperator<byte[]> change, String word) throws Exception {
        Path copy = run.copyTo(fresh());
        Files.write(copy.resolve(file), change.apply(Files.readAllBytes(copy.resolve(file))));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        RunChecks.Report report = verify(copy);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(report.differs(), () -> messages(report));
        assertTrue(messages(report).contains(word), () -> messages(report));
        assertTrue(allocated < MOST_BYTES, () -> allocated + " bytes were allocated");
    }

    private static Path fresh() {
        return home.resolve("copy-" + copies++);
    }

    private static RunChecks.Report verify(Path recording) throws Exception {
        return new RunChecks(Optional.empty(), Optional.empty(), name -> {}).run(recording);
    }

    private static String messages(RunChecks.Report report) {
        List<String> lines = report.results().stream()
                .flatMap(result -> result.differences().stream())
                .map(Difference::message)
                .toList();
        return lines.stream().collect(Collectors.joining("\n"));
    }
}
