package org.bitwitness.recorder.wire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.bitwitness.protocol.GradientRoot;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.TraceRoot;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.audit.DrillList;
import org.bitwitness.protocol.bytes.CanonicalDecoder;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.PlantedFaultJson;
import org.bitwitness.protocol.format.StrictJson;
import org.bitwitness.protocol.record.DetectorInputs;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.MicroBatchRecord;
import org.bitwitness.protocol.record.PlantedFault;
import org.bitwitness.protocol.record.Scalars;

/**
 * Payloads of the frames, as canonical bytes. A reader refuses another domain, another version and everything over its
 * limits.
 */
public final class Messages {
    private static final int MAX_DESCRIPTOR_BYTES = 1 << 20;
    private static final int MAX_TEXT_BYTES = 1 << 14;
    private static final int MAX_SCALARS_BYTES = 1024;
    private static final int MAX_MICRO_BATCHES = 1 << 16;
    private static final int MAX_ENTRIES = 1 << 22;
    private static final int MAX_OUTPUTS = 1 << 16;

    private Messages() {}

    /**
     * A worker that has just connected.
     *
     * @param token the coordinator's secret, given to the worker when it was started
     * @param pid process id; absent for a worker inside the coordinator's process
     */
    public record Hello(Sha256 token, WorkerId worker, OptionalLong pid) {
        public byte[] toBytes() {
            CanonicalEncoder out =
                    CanonicalEncoder.of("wire-hello").digest(token).u64(worker.value());
            return (pid.isPresent() ? out.u64(pid.getAsLong()) : out.absent()).toBytes();
        }

        public static Hello read(byte[] payload) throws ProtocolException {
            CanonicalDecoder in = CanonicalDecoder.open(payload, "wire-hello");
            Sha256 token = in.digest("token");
            int worker = in.count("worker", WorkerId.MAX);
            OptionalLong pid = in.skipAbsent() ? OptionalLong.empty() : OptionalLong.of(in.u64("pid"));
            return in.build(() -> new Hello(token, new WorkerId(worker), pid));
        }
    }

    /**
     * What a worker is to do all the run. The tensors of the state follow: parameters, first and second moments.
     *
     * @param descriptor bytes of {@code descriptor.json}
     * @param layout of every step that the worker will be asked for
     * @param dataset folder of the dataset, on this machine
     * @param scalars of the state that follows
     * @param faults what a drill plants in this worker
     * @param direct whether workers exchange gradients among themselves
     * @param share the place in the layout whose share of the moments this worker keeps; empty where it keeps all
     */
    public record Job(
            String descriptor,
            Layout layout,
            String dataset,
            String backend,
            int threads,
            Scalars scalars,
            List<PlantedFault> faults,
            boolean direct,
            OptionalInt share) {
        public byte[] toBytes() {
            CanonicalEncoder out = CanonicalEncoder.of("wire-job")
                    .text(descriptor)
                    .u64List(
                            layout.workers().stream().mapToLong(WorkerId::value).toArray())
                    .text(dataset)
                    .text(backend)
                    .u64(threads)
                    .bytes(scalars.toBytes())
                    .list(faults.stream().map(Messages::json).toList())
                    .flag(direct);
            return (share.isPresent() ? out.u64(share.getAsInt()) : out.absent()).toBytes();
        }

        public static Job read(byte[] payload) throws ProtocolException {
            CanonicalDecoder in = CanonicalDecoder.open(payload, "wire-job");
            String descriptor = in.text("descriptor", MAX_DESCRIPTOR_BYTES);
            long[] layout = in.u64List("layout", Layout.MAX_WORKERS);
            String dataset = in.text("dataset", MAX_TEXT_BYTES);
            String backend = in.text("backend", 64);
            int threads = in.count("threads", 1024);
            Scalars scalars = Scalars.decode(in.bytes("scalars", MAX_SCALARS_BYTES));
            List<PlantedFault> faults = new ArrayList<>();
            for (byte[] item : in.list("faults", DrillList.MAX_FAULTS)) {
                faults.add(PlantedFaultJson.read(JsonFields.of("fault", StrictJson.object(item, "fault"))));
            }
            boolean direct = in.flag("direct");
            OptionalInt share = in.skipAbsent()
                    ? OptionalInt.empty()
                    : OptionalInt.of(in.count("share", Math.max(0, layout.length - 1)));
            return in.build(() ->
                    new Job(descriptor, layoutOf(layout), dataset, backend, threads, scalars, faults, direct, share));
        }
    }

    private static Layout layoutOf(long... ids) {
        return new Layout(Arrays.stream(ids)
                .mapToObj(id -> new WorkerId((int) Math.min(id, Integer.MAX_VALUE)))
                .toList());
    }

    private static byte[] json(PlantedFault fault) {
        return PlantedFaultJson.toJson(fault).toText().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Start of a step.
     *
     * @param position of the worker in the step's layout
     * @param invCount what the worker multiplies by
     */
    public record Step(StepIndex step, int position, float invCount) {
        public byte[] toBytes() {
            return CanonicalEncoder.of("wire-step")
                    .u64(step.value())
                    .u64(position)
                    .f32(invCount)
                    .toBytes();
        }

        public static Step read(byte[] payload) throws ProtocolException {
            CanonicalDecoder in = CanonicalDecoder.open(payload, "wire-step");
            long step = in.u64("step");
            int position = in.count("position", WorkerId.MAX);
            float invCount = in.f32("invCount");
            return in.build(() -> new Step(new StepIndex(step), position, invCount));
        }
    }

    /**
     * What a worker read and computed. Its gradient's tensors follow.
     *
     * @param detectors by the detector policy
     * @param traceRoot and {@code traceOutputs}, the roots of the outputs of every trace entry, by the trace policy
     */
    public record Gradient(
            StepIndex step,
            List<MicroBatchRecord> microBatches,
            GradientRoot gradientRoot,
            double lossSum,
            long targetCount,
            Optional<TraceRoot> traceRoot,
            List<List<Sha256>> traceOutputs,
            Optional<DetectorInputs> detectors) {
        public byte[] toBytes() {
            CanonicalEncoder out = CanonicalEncoder.of("wire-gradient")
                    .u64(step.value())
                    .list(microBatches.stream().map(MicroBatchRecord::toBytes).toList())
                    .digest(gradientRoot.digest())
                    .f64(lossSum)
                    .u64(targetCount)
                    .digest(traceRoot.map(TraceRoot::digest))
                    .list(traceOutputs.stream().map(Messages::digests).toList());
            return (detectors.isPresent() ? out.bytes(detectors.get().toBytes()) : out.absent()).toBytes();
        }

        public static Gradient read(byte[] payload) throws ProtocolException {
            CanonicalDecoder in = CanonicalDecoder.open(payload, "wire-gradient");
            long step = in.u64("step");
            List<MicroBatchRecord> microBatches = new ArrayList<>();
            for (byte[] item : in.list("microBatches", MAX_MICRO_BATCHES)) {
                microBatches.add(MicroBatchRecord.decode(item));
            }
            GradientRoot root = new GradientRoot(in.digest("gradientRoot"));
            double lossSum = in.f64("lossSum");
            long targetCount = in.u64("targetCount");
            Optional<TraceRoot> traceRoot = in.optionalDigest("traceRoot").map(TraceRoot::new);
            List<List<Sha256>> outputs = new ArrayList<>();
            for (byte[] item : in.list("traceOutputs", MAX_ENTRIES)) {
                outputs.add(digests(item));
            }
            Optional<DetectorInputs> detectors = in.skipAbsent()
                    ? Optional.empty()
                    : Optional.of(DetectorInputs.decode(in.bytes("detectors", 1 << 13)));
            return in.build(() -> new Gradient(
                    new StepIndex(step), microBatches, root, lossSum, targetCount, traceRoot, outputs, detectors));
        }
    }

    /** What follows from the reduction. Where {@code valid}, the combined gradient's tensors follow. */
    public record Combined(StepIndex step, boolean valid, float clip, double learningRate) {
        public byte[] toBytes() {
            return CanonicalEncoder.of("wire-combined")
                    .u64(step.value())
                    .flag(valid)
                    .f32(clip)
                    .f64(learningRate)
                    .toBytes();
        }

        public static Combined read(byte[] payload) throws ProtocolException {
            CanonicalDecoder in = CanonicalDecoder.open(payload, "wire-combined");
            long step = in.u64("step");
            boolean valid = in.flag("valid");
            float clip = in.f32("clip");
            double learningRate = in.f64("learningRate");
            return in.build(() -> new Combined(new StepIndex(step), valid, clip, learningRate));
        }
    }

    /** A reason, cut to what a frame before the token may hold. */
    public static byte[] writeFailed(String reason) {
        byte[] utf8 = reason.getBytes(StandardCharsets.UTF_8);
        return Arrays.copyOf(utf8, Math.min(utf8.length, Connection.MAX_HELLO_BYTES / 2));
    }

    /** A reason; never markup, never control characters. */
    static String readFailed(byte[] payload) {
        return plain(new String(payload, StandardCharsets.UTF_8));
    }

    static String plain(String text) {
        return text.codePoints()
                .map(c -> Character.isISOControl(c) ? ' ' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static byte[] digests(List<Sha256> digests) {
        byte[] out = new byte[digests.size() * Sha256.BYTES];
        for (int i = 0; i < digests.size(); i++) {
            System.arraycopy(digests.get(i).bytes(), 0, out, i * Sha256.BYTES, Sha256.BYTES);
        }
        return out;
    }

    private static List<Sha256> digests(byte[] packed) throws ProtocolException {
        if (packed.length % Sha256.BYTES != 0 || packed.length / Sha256.BYTES > MAX_OUTPUTS) {
            throw ProtocolException.malformed(
                    "wire-gradient.traceOutputs: %d bytes are no list of digests", packed.length);
        }
        List<Sha256> out = new ArrayList<>();
        for (int at = 0; at < packed.length; at += Sha256.BYTES) {
            out.add(Sha256.of(Arrays.copyOfRange(packed, at, at + Sha256.BYTES)));
        }
        return out;
    }
}
