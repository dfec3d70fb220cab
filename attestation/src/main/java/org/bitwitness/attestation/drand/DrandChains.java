package org.bitwitness.attestation.drand;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.PlainFile;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;

/**
 * The drand networks that a verifier accepts, each until a time, so that moving to another network leaves older
 * challenges verifiable and gives nobody a choice between two.
 *
 * @param accepted at least one, ordered by their ends
 */
public record DrandChains(List<Accepted> accepted) {
    private static final int MAX_FILES = 64;
    private static final int MAX_BYTES = 1 << 14;
    private static final String SCHEME = "bls-unchained-g1-rfc9380";

    /** For commitments witnessed before {@code until}. */
    public record Accepted(DrandChain chain, Instant until) {}

    public DrandChains {
        accepted =
                accepted.stream().sorted(Comparator.comparing(Accepted::until)).toList();
        if (accepted.isEmpty()
                || accepted.stream().map(Accepted::until).distinct().count() != accepted.size()) {
            throw new IllegalArgumentException("needs one network at least, and different ends");
        }
    }

    /** quicknet, for ever. */
    public static DrandChains standard() {
        return new DrandChains(List.of(new Accepted(DrandChain.QUICKNET, Instant.MAX)));
    }

    /** The one network for commitments that witnesses saw at this time. */
    public DrandChain inForce(Instant witnessed) throws AttestationException {
        return accepted.stream()
                .filter(one -> witnessed.isBefore(one.until()))
                .findFirst()
                .map(Accepted::chain)
                .orElseThrow(() -> AttestationException.inconclusive(
                        "no drand network of the trust folder is in force at " + witnessed));
    }

    /**
     * Reads a folder of files as a relay answers {@code /info}, each with one more key {@code until} if it has an end.
     * Without the folder quicknet counts.
     *
     * <pre>
     * {"public_key":"83cf…","period":3,"genesis_time":1692803367,"hash":"52db…","schemeID":"bls-unchained-g1-rfc9380",
     *  "metadata":{"beaconID":"quicknet"},"until":"2027-01-01T00:00:00Z"}
     * </pre>
     */
    public static DrandChains load(Path folder) throws AttestationException {
        if (!Files.isDirectory(folder)) {
            return standard();
        }
        List<Accepted> accepted = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.limit(MAX_FILES + 1L).sorted().toList()) {
                if (accepted.size() == MAX_FILES) {
                    throw AttestationException.malformed("%s: at most %d files".formatted(folder, MAX_FILES));
                }
                accepted.add(parse(PlainFile.read(file, MAX_BYTES), file));
            }
            return new DrandChains(accepted);
        } catch (IOException | java.time.format.DateTimeParseException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT, "cannot read " + folder + ": " + e, e);
        } catch (IllegalArgumentException e) {
            throw new AttestationException(AttestationException.Kind.MALFORMED, folder + ": " + e.getMessage(), e);
        }
    }

    private static Accepted parse(byte[] json, Path file) throws AttestationException {
        try {
            JsonFields in = JsonFields.of(file.toString(), StrictJson.object(json, file.toString()));
            in.word("schemeID", List.of(SCHEME));
            Instant until = in.has("until") ? Instant.parse(in.text("until")) : Instant.MAX;
            return new Accepted(
                    new DrandChain(
                            String.valueOf(file.getFileName()).replaceFirst("\\.json$", ""),
                            in.text("public_key"),
                            in.integer("genesis_time", 0, 1L << 40),
                            in.integer("period", 1, 86_400),
                            in.text("hash")),
                    until);
        } catch (ProtocolException e) {
            throw AttestationException.of(e);
        }
    }
}
