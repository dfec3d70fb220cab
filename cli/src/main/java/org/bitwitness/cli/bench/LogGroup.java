package org.bitwitness.cli.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.log.CheckpointCosigner;
import org.bitwitness.attestation.log.LocalTileLog;
import org.bitwitness.attestation.log.NewEntry;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.trust.LogIdentity;
import org.bitwitness.attestation.trust.WitnessPolicy;
import org.bitwitness.protocol.Hashing;

/**
 * The log's writer on the disk of the temporary folder: batches of 1024 entries against hashing the same bytes, and
 * batches of one against syncing a file. A run ends when the log is closed, with every file synced in its place.
 * Signatures on entries are checked before a batch is made and not here.
 */
final class LogGroup implements BenchGroup {
    private static final int BATCH = 1024;
    private static final int BATCHES = 16;
    private static final int SINGLES = 400;
    private static final int LEAF_BYTES = 600;
    private static final int PAYLOAD_BYTES = 1500;

    private long number;

    @Override
    public String name() {
        return "log";
    }

    @Override
    public String describes() {
        return "appends to the log against SHA-256 of the same bytes, and against fsync on the same disk";
    }

    @Override
    public List<BenchRow> measure(int runs) throws Exception {
        Path folder = Files.createTempDirectory("bitwitness-bench-log");
        NoteSigner signer = NoteSigner.create("bench.example/log", NoteKeyType.ED25519, new SecureRandom());
        String policy = "log "
                + new LogIdentity(signer.verifier(), Optional.empty()).key().vkey() + "\nquorum none\n";
        LocalTileLog.Settings settings = new LocalTileLog.Settings(
                signer, WitnessPolicy.parse(policy.getBytes(StandardCharsets.UTF_8)), CheckpointCosigner.NONE);
        Path log = folder.resolve("log");
        try {
            return List.of(
                    Alternating.rate(
                            "append, batches of 1024",
                            "entries/s",
                            runs,
                            () -> append(LocalTileLog.open(log, settings), BATCHES, BATCH),
                            LogGroup::hashes),
                    Alternating.rate(
                            "append one by one",
                            "syncs/s",
                            runs,
                            () -> append(LocalTileLog.open(log, settings), SINGLES, 1),
                            () -> syncs(folder.resolve("synced"))));
        } finally {
            delete(folder);
        }
    }

    private double append(LocalTileLog log, int batches, int size) throws AttestationException {
        List<List<NewEntry>> all = new ArrayList<>();
        for (int batch = 0; batch < batches; batch++) {
            List<NewEntry> entries = new ArrayList<>();
            for (int i = 0; i < size; i++, number++) {
                entries.add(new NewEntry(bytes(LEAF_BYTES, number), bytes(PAYLOAD_BYTES, number)));
            }
            all.add(entries);
        }
        long started = System.nanoTime();
        try (log) {
            for (List<NewEntry> entries : all) {
                log.append(entries);
            }
        }
        return rate(batches * (long) size, started);
    }

    /** Leaf and payload of as many entries as {@link #append} takes, hashed once each. */
    private static double hashes() {
        byte[] leaf = bytes(LEAF_BYTES, 1);
        byte[] payload = bytes(PAYLOAD_BYTES, 1);
        int count = BATCH * BATCHES;
        int check = 0;
        long started = System.nanoTime();
        for (int i = 0; i < count; i++) {
            check ^= Hashing.sha256(leaf).hashCode() ^ Hashing.sha256(payload).hashCode();
        }
        double rate = rate(count, started);
        if (check != 0) {
            throw new IllegalStateException("an even number of equal hashes cancels out, got " + check);
        }
        return rate;
    }

    private static double syncs(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            byte[] block = new byte[4096];
            long started = System.nanoTime();
            for (int i = 0; i < SINGLES; i++) {
                channel.write(ByteBuffer.wrap(block));
                channel.force(true);
            }
            return rate(SINGLES, started);
        }
    }

    private static double rate(long count, long started) {
        return count / ((System.nanoTime() - started) / 1e9);
    }

    private static byte[] bytes(int length, long number) {
        return ByteBuffer.allocate(length).putLong(number).array();
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
