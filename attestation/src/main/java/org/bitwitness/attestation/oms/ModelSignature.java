package org.bitwitness.attestation.oms;

import java.io.IOException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.PlainFile;
import org.bitwitness.attestation.WholeFile;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.dsse.VerifiedPayload;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.protocol.ReleasedRoot;

/**
 * {@code model.sig}: an OMS v1.0 signature beside a model, as a Sigstore bundle without a log entry.
 *
 * @see <a href="https://github.com/ossf/model-signing-spec">OpenSSF Model Signing</a>
 */
public final class ModelSignature {
    /** Name of the signature in the model folder; it does not cover itself. */
    public static final String FILE = "model.sig";

    private ModelSignature() {}

    /** The root over a model folder, which the final commitment of a run carries. */
    public static ReleasedRoot root(Path folder) throws AttestationException {
        return ModelFolder.manifest(folder, FILE, OptionalLong.empty()).root();
    }

    /** Signs a model folder file by file and writes {@code model.sig} into it, replacing an older one at once. */
    public static ReleasedRoot sign(Path folder, SigningKey key) throws AttestationException {
        return sign(ModelFolder.manifest(folder, FILE, OptionalLong.empty()), folder, key);
    }

    /**
     * Signs as {@link #sign} does, but in pieces, so that one can be checked without the others.
     *
     * @param shardSize bytes of a piece; signers elsewhere use 1,000,000,000
     * @return the root over whole files, which is not what {@code model.sig} says then
     */
    public static ReleasedRoot signShards(Path folder, SigningKey key, long shardSize) throws AttestationException {
        return sign(ModelFolder.manifest(folder, FILE, OptionalLong.of(shardSize)), folder, key);
    }

    private static ReleasedRoot sign(ModelManifest manifest, Path folder, SigningKey key) throws AttestationException {
        DsseEnvelope envelope = manifest.toStatement(modelName(folder), FILE).sign(key);
        SigstoreBundle bundle = SigstoreBundle.of(key.verifyingKey(), envelope, Optional.empty());
        try {
            // Not in the folder: what a crash left there would be a file that the signature does not list.
            Path temporary =
                    folder.toAbsolutePath().normalize().resolveSibling(WholeFile.partialName(folder.resolve(FILE)));
            WholeFile.write(folder.resolve(FILE), temporary, bundle.toBytes());
        } catch (IOException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT, "cannot write %s: %s".formatted(folder.resolve(FILE), e), e);
        }
        return wholeFiles(manifest, folder);
    }

    /** A released model is known by this root, however it was signed. */
    private static ReleasedRoot wholeFiles(ModelManifest manifest, Path folder) throws AttestationException {
        return manifest.shardSize().isPresent() ? root(folder) : manifest.root();
    }

    /**
     * Checks a model folder against its signature.
     *
     * @return the root of a model that is exactly what {@code key} signed
     * @throws AttestationException refused: the message names every file that is missing, changed or unlisted
     */
    public static ReleasedRoot verify(Path folder, VerifyingKey key) throws AttestationException {
        ModelManifest signed = signedManifest(folder, key);
        List<String> differences = signed.differences(ModelFolder.manifest(folder, FILE, signed.shardSize()));
        if (!differences.isEmpty()) {
            throw AttestationException.refused("%s differs from its signature in %d %s%s:%n  %s"
                    .formatted(
                            folder,
                            differences.size(),
                            signed.shardSize().isPresent() ? "piece" : "file",
                            differences.size() == 1 ? "" : "s",
                            String.join(System.lineSeparator() + "  ", differences)));
        }
        return wholeFiles(signed, folder);
    }

    /** The bundle in {@code model.sig}, not verified: to learn which key it names. */
    public static SigstoreBundle read(Path folder) throws AttestationException {
        Path file = folder.resolve(FILE);
        try {
            return SigstoreBundle.parse(PlainFile.read(file, SigstoreBundle.MAX_BYTES, LinkOption.NOFOLLOW_LINKS));
        } catch (NoSuchFileException e) {
            throw AttestationException.refused(folder + " has no " + FILE + ": it is not a signed model");
        } catch (IOException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT, "cannot read %s: %s".formatted(file, e), e);
        }
    }

    private static ModelManifest signedManifest(Path folder, VerifyingKey key) throws AttestationException {
        try {
            VerifiedPayload payload = read(folder).verifySignature(key);
            return ModelManifest.of(Statement.parse(payload));
        } catch (AttestationException e) {
            throw e.in(folder.resolve(FILE).toString());
        }
    }

    private static String modelName(Path folder) {
        return Optional.ofNullable(folder.toAbsolutePath().normalize().getFileName())
                .map(Path::toString)
                .orElse("model");
    }
}
