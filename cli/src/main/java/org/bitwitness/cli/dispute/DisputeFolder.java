package org.bitwitness.cli.dispute;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.replayer.dispute.DisputeException;
import org.bitwitness.replayer.dispute.Message;

/**
 * A dispute on disk. Everything in it is input of an attacker: sizes first, no symbolic links, messages numbered without gaps.
 *
 * <pre>
 * premise/open.bin commitment.bin descriptor.json step.bin   what the messages are about, bound by hashes
 *         commitment.sigstore.json                           the trainer's signature under it, where the recording has one
 * messages/0000.json …                                       signed messages, in order
 * data/                                                      data of one operator's inputs, by root
 * auditor.trace                                              the auditor's notes, which nobody else needs
 * </pre>
 */
record DisputeFolder(Path path) {
    private static final String MESSAGES = "messages";
    private static final String PREMISE = "premise";
    static final String OPEN = "open.bin";
    static final String COMMITMENT = "commitment.bin";
    static final String BUNDLE = "commitment.sigstore.json";
    static final String DESCRIPTOR = "descriptor.json";
    static final String STEP = "step.bin";
    static final int MAX_PREMISE_BYTES = 64 << 20;

    /** Base64 and the envelope around the largest message. */
    static final int MAX_ENVELOPE_BYTES = 2 * Message.MAX_BYTES;

    /** The five pieces, as bytes. */
    static final class Pieces {
        private final byte[] open;
        private final byte[] commitment;
        private final byte[] descriptor;
        private final byte[] step;
        private final Optional<byte[]> bundle;

        Pieces(byte[] open, byte[] commitment, byte[] descriptor, byte[] step, Optional<byte[]> bundle) {
            this.open = open;
            this.commitment = commitment;
            this.descriptor = descriptor;
            this.step = step;
            this.bundle = bundle;
        }

        byte[] open() {
            return open;
        }

        byte[] commitment() {
            return commitment;
        }

        byte[] descriptor() {
            return descriptor;
        }

        byte[] step() {
            return step;
        }

        Optional<byte[]> bundle() {
            return bundle;
        }
    }

    /** Makes the folder, which must not exist, with its premise. */
    static DisputeFolder create(Path path, Pieces pieces) throws IOException {
        Files.createDirectories(
                Objects.requireNonNull(path.toAbsolutePath().normalize().getParent()));
        Files.createDirectory(path);
        DisputeFolder folder = new DisputeFolder(path);
        Path premise = Files.createDirectory(path.resolve(PREMISE));
        Files.createDirectory(path.resolve(MESSAGES));
        Files.createDirectory(folder.data());
        write(premise.resolve(OPEN), pieces.open());
        write(premise.resolve(COMMITMENT), pieces.commitment());
        write(premise.resolve(DESCRIPTOR), pieces.descriptor());
        write(premise.resolve(STEP), pieces.step());
        if (pieces.bundle().isPresent()) {
            write(premise.resolve(BUNDLE), pieces.bundle().get());
        }
        return folder;
    }

    Path data() {
        return path.resolve("data");
    }

    /** The auditor's own notes; part of nothing. */
    TraceMemo memo() {
        return new TraceMemo(path.resolve("auditor.trace"));
    }

    Pieces pieces() throws IOException, DisputeException {
        Path bundle = path.resolve(PREMISE).resolve(BUNDLE);
        return new Pieces(
                premise(OPEN),
                premise(COMMITMENT),
                premise(DESCRIPTOR),
                premise(STEP),
                Files.exists(bundle, LinkOption.NOFOLLOW_LINKS)
                        ? Optional.of(read(bundle, SigstoreBundle.MAX_BYTES))
                        : Optional.empty());
    }

    private byte[] premise(String name) throws IOException, DisputeException {
        return read(path.resolve(PREMISE).resolve(name), MAX_PREMISE_BYTES);
    }

    /** The messages' envelopes in order, as bytes. */
    List<byte[]> envelopes() throws IOException, DisputeException {
        Path folder = path.resolve(MESSAGES);
        List<Path> files;
        try (Stream<Path> listed = Files.list(folder)) {
            files = listed.filter(file -> !isPartial(file))
                    .limit(Message.MAX_MESSAGES + 1L)
                    .sorted()
                    .toList();
        }
        if (files.isEmpty() || files.size() > Message.MAX_MESSAGES) {
            throw new DisputeException("%s should hold 1 to %d messages, holds %s"
                    .formatted(MESSAGES, Message.MAX_MESSAGES, files.isEmpty() ? "none" : "more"));
        }
        List<byte[]> envelopes = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            if (!files.get(i).equals(message(i))) {
                throw new DisputeException("expected %s next, found %s: only the two sides and the referee write here"
                        .formatted(name(i), files.get(i).getFileName()));
            }
            envelopes.add(read(files.get(i), MAX_ENVELOPE_BYTES));
        }
        return envelopes;
    }

    /** Adds the next message; a file that is there already is never overwritten. */
    void append(long sequence, byte[] envelope) throws IOException {
        write(message(sequence), envelope);
    }

    private Path message(long sequence) {
        return path.resolve(MESSAGES).resolve(String.format(Locale.ROOT, "%04d.json", sequence));
    }

    /** The file of a message, for people. */
    static String name(long sequence) {
        return MESSAGES + "/" + String.format(Locale.ROOT, "%04d.json", sequence);
    }

    /** A whole file of at most so many bytes. */
    static byte[] read(Path file, int maxBytes) throws IOException, DisputeException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new DisputeException("%s is missing, or no plain file".formatted(file));
        }
        long bytes = Files.size(file);
        if (bytes > maxBytes) {
            throw new DisputeException("%s has %d bytes; at most %d are read".formatted(file, bytes, maxBytes));
        }
        return Files.readAllBytes(file);
    }

    /** Left behind where a machine stopped while it wrote; never read. */
    private static boolean isPartial(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.startsWith(".") && name.endsWith(".partial");
    }

    /**
     * Writes beside the target, then gives it its name: nobody reads half a file, and of two who write the same one at once
     * one gets a {@link java.nio.file.FileAlreadyExistsException}.
     */
    static void write(Path file, byte[] bytes) throws IOException {
        Path partial = file.resolveSibling(".%s.%d-%d.partial"
                .formatted(file.getFileName(), ProcessHandle.current().pid(), System.nanoTime()));
        try {
            try (FileChannel channel =
                    FileChannel.open(partial, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                ByteBuffer rest = ByteBuffer.wrap(bytes);
                while (rest.hasRemaining()) {
                    channel.write(rest);
                }
                channel.force(true);
            }
            // A rename would take the place of a file that came in between; a link fails.
            Files.createLink(file, partial);
        } finally {
            Files.deleteIfExists(partial);
        }
    }
}
