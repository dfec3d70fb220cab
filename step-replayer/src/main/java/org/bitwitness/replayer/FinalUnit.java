package org.bitwitness.replayer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.release.ReleasedFiles;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Resolution;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.tensor.Utf8Order;

/**
 * {@code FINAL}: the released files are the final state, the descriptor's configuration and the pinned tokenizer, byte
 * for byte, and the root over them is the one in the final commitment. What is compared is what this process makes; the
 * folder on disk only says which file was changed.
 */
final class FinalUnit {
    /** The signature over the release signs the root, so it cannot be part of it. */
    private static final String SIGNATURE = "model.sig";

    private final CommittedRun run;
    private final ProofBuilder proof;

    FinalUnit(CommittedRun run, ProofBuilder proof) {
        this.run = run;
        this.proof = proof;
    }

    UnitOutcome replay(LoadedState last) throws StoreDamage {
        Map<String, Contents> made = make(last.state());
        proof.contents(new ProofBuilder.Address(run.endStep(), 0, 0, 0), new ArrayList<>(made.values()));
        Sha256 computed = root(made);
        Sha256 expected = run.commitment().releasedRoot().orElseThrow().digest();
        String onDisk = firstDifference(made);
        if (computed.equals(expected)) {
            if (!onDisk.isEmpty()) {
                throw new StoreDamage(
                        "the final commitment commits to the right release, the folder on disk is another: " + onDisk
                                + ": fetch it again");
            }
            return new UnitOutcome.Same(computed);
        }
        Where where = Where.unit();
        String story = "the released model is not the final state"
                + (onDisk.isEmpty() ? "; the folder on disk is, so only the commitment differs" : ": " + onDisk);
        return new UnitOutcome.Differs(
                Difference.withoutArithmetic(where.at(Resolution.UNIT, story), expected, computed));
    }

    /** Every released file, by name. */
    private Map<String, Contents> make(HostState state) throws StoreDamage {
        Map<String, Contents> files = new TreeMap<>(Utf8Order.COMPARATOR);
        try {
            ReleasedFiles.of(run.descriptor(), run.dataset().folder())
                    .forEach((name, bytes) -> files.put(name, Contents.of(bytes)));
        } catch (DatasetException e) {
            throw new StoreDamage(String.valueOf(e.getMessage()), e);
        }
        files.put(ReleasedFiles.WEIGHTS, new WeightsFile(state));
        return files;
    }

    /** SHA-256 over the files' raw digests in the order of their names: the root a model signature has. */
    private static Sha256 root(Map<String, Contents> files) {
        ByteArrayOutputStream digests = new ByteArrayOutputStream();
        for (Contents file : files.values()) {
            MessageDigest digest = Hashing.newDigest();
            for (long at = 0; at < file.size(); at += Contents.PIECE_BYTES) {
                digest.update(file.bytes(at, piece(file, at)));
            }
            digests.writeBytes(Hashing.finish(digest).bytes());
        }
        return Hashing.sha256(digests.toByteArray());
    }

    private static int piece(Contents file, long at) {
        return (int) Math.min(Contents.PIECE_BYTES, file.size() - at);
    }

    /** The first file on disk that is not the one that was made, as words; empty when all are. */
    private String firstDifference(Map<String, Contents> made) throws StoreDamage {
        Path folder = run.releasedFolder();
        try {
            for (Map.Entry<String, Contents> file : made.entrySet()) {
                Path path = folder.resolve(file.getKey());
                if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                    return "released/" + file.getKey() + " is missing";
                }
                if (Files.size(path) != file.getValue().size()) {
                    return "released/%s has %d bytes, must have %d"
                            .formatted(
                                    file.getKey(),
                                    Files.size(path),
                                    file.getValue().size());
                }
                OptionalLong at = mismatch(path, file.getValue());
                if (at.isPresent()) {
                    return "released/%s differs from byte %d on".formatted(file.getKey(), at.getAsLong());
                }
            }
            return stranger(folder, made.keySet());
        } catch (IOException e) {
            throw new StoreDamage("the released folder cannot be read: " + e, e);
        }
    }

    private static OptionalLong mismatch(Path path, Contents made) throws IOException {
        try (InputStream in = Files.newInputStream(path)) {
            for (long at = 0; at < made.size(); at += Contents.PIECE_BYTES) {
                byte[] must = made.bytes(at, piece(made, at));
                int mismatch = Arrays.mismatch(in.readNBytes(must.length), must);
                if (mismatch >= 0) {
                    return OptionalLong.of(at + mismatch);
                }
            }
            return OptionalLong.empty();
        }
    }

    private static String stranger(Path folder, Set<String> made) throws IOException {
        try (Stream<Path> names = Files.list(folder)) {
            return names.map(path -> String.valueOf(path.getFileName()))
                    .filter(name -> !made.contains(name) && !name.equals(SIGNATURE))
                    .min(Comparator.naturalOrder())
                    .map(name -> "released/" + name + " does not belong there")
                    .orElse("");
        }
    }
}
