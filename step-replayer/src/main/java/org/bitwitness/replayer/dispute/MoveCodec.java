package org.bitwitness.replayer.dispute;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.bytes.CanonicalDecoder;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.merkle.InclusionProof;
import org.bitwitness.protocol.record.Scalars;

/** The canonical bytes of every {@link Move}; limits are checked before anything is allocated. */
final class MoveCodec {
    private static final int MAX_OUTPUTS = 1 << 14;
    private static final int MAX_PATH = 64;
    private static final int MAX_KEY_BYTES = 4096;
    private static final int MAX_BACKENDS = 8;

    private MoveCodec() {}

    static String kind(Move move) {
        return switch (move) {
            case Move.Open _ -> "open";
            case Move.Defence _ -> "defence";
            case Move.Halves _ -> "halves";
            case Move.Entry _ -> "entry";
            case Move.Inputs _ -> "inputs";
            case Move.Receipt _ -> "receipt";
            case Move.Ruling _ -> "ruling";
        };
    }

    static byte[] write(Move move) {
        return switch (move) {
            case Move.Open open ->
                open(CanonicalEncoder.of("dispute-open"), open).toBytes();
            case Move.Defence defence ->
                CanonicalEncoder.of("dispute-defence")
                        .bytes(claim(defence.claim()))
                        .toBytes();
            case Move.Halves halves ->
                CanonicalEncoder.of("dispute-halves")
                        .digest(halves.left())
                        .digest(halves.right())
                        .toBytes();
            case Move.Entry entry ->
                CanonicalEncoder.of("dispute-entry")
                        .list(digests(entry.outputs()))
                        .toBytes();
            case Move.Inputs inputs ->
                inputs(CanonicalEncoder.of("dispute-inputs"), inputs).toBytes();
            case Move.Receipt receipt ->
                CanonicalEncoder.of("dispute-receipt")
                        .u64(receipt.seenAt())
                        .u64(receipt.deadline())
                        .toBytes();
            case Move.Ruling ruling ->
                CanonicalEncoder.of("dispute-ruling")
                        .u64(ruling.seenAt())
                        .text(ruling.outcome().name())
                        .text(ruling.ground().name())
                        .list(ruling.backends().stream().map(MoveCodec::ascii).toList())
                        .digest(ruling.computed())
                        .toBytes();
        };
    }

    static Move read(String kind, byte[] encoded) throws ProtocolException, DisputeException {
        switch (kind) {
            case "open", "defence", "halves", "entry", "inputs", "receipt", "ruling" -> {}
            default -> throw new DisputeException("this version knows no message of kind \"%s\"".formatted(kind));
        }
        CanonicalDecoder in = CanonicalDecoder.open(encoded, "dispute-" + kind);
        return switch (kind) {
            case "open" -> readOpen(in);
            case "defence" -> {
                Move.Claim claim = readClaim(in.bytes("claim", Message.MAX_BYTES));
                yield in.build(() -> new Move.Defence(claim));
            }
            case "halves" -> {
                Sha256 left = in.digest("left");
                Sha256 right = in.digest("right");
                yield in.build(() -> new Move.Halves(left, right));
            }
            case "entry" -> {
                List<Sha256> outputs = readDigests(in, "outputs", MAX_OUTPUTS);
                yield in.build(() -> new Move.Entry(outputs));
            }
            case "inputs" -> readInputs(in);
            case "receipt" -> {
                long seenAt = in.u64("seenAt");
                long deadline = in.u64("deadline");
                yield in.build(() -> new Move.Receipt(seenAt, deadline));
            }
            default -> readRuling(in);
        };
    }

    private static CanonicalEncoder open(CanonicalEncoder out, Move.Open open) {
        return out.digest(open.runId().digest())
                .digest(open.commitment().digest())
                .u64(open.unit().step().value())
                .u64(open.unit().worker().value())
                .u64(open.inclusion().treeSize())
                .list(digests(open.inclusion().path()))
                .bytes(HexFormat.of().parseHex(open.auditorKeyHex()))
                .bytes(HexFormat.of().parseHex(open.refereeKeyHex()))
                .u64(open.answerSeconds())
                .bytes(claim(open.claim()));
    }

    private static Move.Open readOpen(CanonicalDecoder in) throws ProtocolException {
        Sha256 run = in.digest("runId");
        Sha256 commitment = in.digest("commitment");
        long step = in.u64("step");
        int worker = in.count("worker", WorkerId.MAX);
        long endStep = in.u64("endStep");
        List<Sha256> path = readDigests(in, "inclusion", MAX_PATH);
        String auditor = HexFormat.of().formatHex(in.bytes("auditorKey", MAX_KEY_BYTES));
        String referee = HexFormat.of().formatHex(in.bytes("refereeKey", MAX_KEY_BYTES));
        long seconds = in.u64("answerSeconds");
        Move.Claim claim = readClaim(in.bytes("claim", Message.MAX_BYTES));
        return in.build(() -> new Move.Open(
                new RunId(run),
                new CommitmentDigest(commitment),
                new AuditUnit.Gradient(new StepIndex(step), new WorkerId(worker)),
                new InclusionProof(step, endStep, path),
                auditor,
                referee,
                seconds,
                claim));
    }

    private static byte[] claim(Move.Claim claim) {
        return CanonicalEncoder.of("dispute-claim")
                .digest(claim.traceRoot())
                .list(digests(claim.emitted()))
                .list(digests(claim.path()))
                .toBytes();
    }

    private static Move.Claim readClaim(byte[] encoded) throws ProtocolException {
        CanonicalDecoder in = CanonicalDecoder.open(encoded, "dispute-claim");
        Sha256 root = in.digest("traceRoot");
        List<Sha256> emitted = readDigests(in, "emitted", MAX_OUTPUTS);
        List<Sha256> path = readDigests(in, "path", MAX_PATH);
        return in.build(() -> new Move.Claim(root, emitted, path));
    }

    private static CanonicalEncoder inputs(CanonicalEncoder out, Move.Inputs inputs) {
        List<byte[]> entries = new ArrayList<>();
        for (Move.OpenedEntry entry : inputs.entries()) {
            entries.add(CanonicalEncoder.of("dispute-earlier")
                    .u64(entry.index())
                    .list(digests(entry.outputs()))
                    .list(digests(entry.path()))
                    .toBytes());
        }
        List<byte[]> parameters = new ArrayList<>();
        for (Move.OpenedTensor tensor : inputs.parameters()) {
            parameters.add(CanonicalEncoder.of("dispute-tensor")
                    .text(tensor.name())
                    .digest(tensor.root())
                    .list(digests(tensor.path()))
                    .toBytes());
        }
        return out.digest(inputs.stateTree())
                .bytes(inputs.scalars().toBytes())
                .list(entries)
                .list(parameters);
    }

    private static Move.Inputs readInputs(CanonicalDecoder in) throws ProtocolException {
        Sha256 tree = in.digest("stateTree");
        Scalars scalars = Scalars.decode(in.bytes("scalars", 1024));
        List<Move.OpenedEntry> entries = new ArrayList<>();
        for (byte[] item : in.list("entries", MAX_OUTPUTS)) {
            CanonicalDecoder entry = CanonicalDecoder.open(item, "dispute-earlier");
            int index = entry.count("index", DisputedUnit.MAX_ENTRIES - 1);
            List<Sha256> outputs = readDigests(entry, "outputs", MAX_OUTPUTS);
            List<Sha256> path = readDigests(entry, "path", MAX_PATH);
            entries.add(entry.build(() -> new Move.OpenedEntry(index, outputs, path)));
        }
        List<Move.OpenedTensor> parameters = new ArrayList<>();
        for (byte[] item : in.list("parameters", MAX_OUTPUTS)) {
            CanonicalDecoder tensor = CanonicalDecoder.open(item, "dispute-tensor");
            String name = tensor.text("name", 1024);
            Sha256 root = tensor.digest("root");
            List<Sha256> path = readDigests(tensor, "path", MAX_PATH);
            parameters.add(tensor.build(() -> new Move.OpenedTensor(name, root, path)));
        }
        return in.build(() -> new Move.Inputs(tree, scalars, entries, parameters));
    }

    private static Move.Ruling readRuling(CanonicalDecoder in) throws ProtocolException {
        long seenAt = in.u64("seenAt");
        String outcome = in.text("outcome", 32);
        String ground = in.text("ground", 32);
        List<String> backends = new ArrayList<>();
        for (byte[] item : in.list("backends", MAX_BACKENDS)) {
            backends.add(new String(item, StandardCharsets.US_ASCII));
        }
        Optional<Sha256> computed = in.optionalDigest("computed");
        return in.build(() -> new Move.Ruling(
                seenAt, Move.Outcome.valueOf(outcome), Move.Ground.valueOf(ground), backends, computed));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static List<byte[]> digests(List<Sha256> digests) {
        return digests.stream().map(Sha256::bytes).toList();
    }

    private static List<Sha256> readDigests(CanonicalDecoder in, String field, int max) throws ProtocolException {
        List<Sha256> digests = new ArrayList<>();
        for (byte[] item : in.list(field, max)) {
            if (item.length != Sha256.BYTES) {
                throw ProtocolException.malformed(
                        "%s: a digest has %d bytes, got %d", field, Sha256.BYTES, item.length);
            }
            digests.add(Sha256.of(item));
        }
        return digests;
    }
}
