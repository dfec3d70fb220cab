package org.bitwitness.attestation.trust;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.PlainFile;
import org.bitwitness.attestation.drand.DrandChains;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.note.NoteText;
import org.bitwitness.protocol.Excerpt;

/**
 * Everything a verifier trusts, as a folder.
 *
 * <pre>
 * trust/ policy.txt                logs, witnesses, quorum ({@link WitnessPolicy})
 *        auditors/NAME.pem         keys whose verdicts count
 *        trainers/NAME.pem         keys whose commitments count
 *        registrars/NAME.pem       keys that may enrol, rotate and revoke auditors in the log; optional
 *        drand/NAME.json           networks for beacon mode drand; without it, quicknet
 *        witness-vrf/NAME.pem      the beacon key of the witness with that name in policy.txt
 * </pre>
 *
 * <p>Names are for people. What is trusted is the key in the file.
 *
 * @param witnesses needs two witnesses or more
 * @param registrars keys that may enrol, rotate and revoke auditors in the log
 * @param drand networks of beacon mode drand
 * @param witnessVrf by the witness's name in the policy
 */
public record TrustPolicy(
        WitnessPolicy witnesses,
        SortedMap<String, VerifyingKey> auditors,
        SortedMap<String, VerifyingKey> trainers,
        SortedMap<String, VerifyingKey> registrars,
        DrandChains drand,
        SortedMap<String, VerifyingKey> witnessVrf) {
    /** One witness alone could show two trees to two people. */
    public static final int FEWEST_WITNESSES = 2;

    public static final String POLICY_FILE = "policy.txt";
    public static final String AUDITORS = "auditors";
    public static final String TRAINERS = "trainers";
    public static final String REGISTRARS = "registrars";
    public static final String DRAND = "drand";
    public static final String WITNESS_VRF = "witness-vrf";

    private static final int MAX_KEYS = 10_000;
    private static final String SUFFIX = ".pem";

    public TrustPolicy {
        auditors = Collections.unmodifiableSortedMap(new TreeMap<>(auditors));
        trainers = Collections.unmodifiableSortedMap(new TreeMap<>(trainers));
        registrars = Collections.unmodifiableSortedMap(new TreeMap<>(registrars));
        witnessVrf = Collections.unmodifiableSortedMap(new TreeMap<>(witnessVrf));
    }

    /**
     * Reads a folder.
     *
     * @throws AttestationException if the policy is malformed, fewer than two witnesses can satisfy it, or a key file
     *     is not one or appears twice
     */
    public static TrustPolicy load(Path folder) throws AttestationException {
        WitnessPolicy witnesses = readPolicy(folder.resolve(POLICY_FILE));
        if (witnesses.quorum().fewest() < FEWEST_WITNESSES) {
            throw AttestationException.malformed(
                    "%s: the quorum \"%s\" can be met by %d witnesses, at least %d are needed: name more in a group"
                            .formatted(
                                    folder.resolve(POLICY_FILE),
                                    witnesses.quorum().words(),
                                    witnesses.quorum().fewest(),
                                    FEWEST_WITNESSES));
        }
        SortedMap<String, VerifyingKey> vrf = keys(folder.resolve(WITNESS_VRF));
        for (String name : vrf.keySet()) {
            if (witnesses.witnesses().stream().noneMatch(w -> w.name().equals(name))) {
                throw AttestationException.malformed("%s/%s.pem: the policy has no witness \"%s\""
                        .formatted(folder.resolve(WITNESS_VRF), name, name));
            }
        }
        return new TrustPolicy(
                witnesses,
                keys(folder.resolve(AUDITORS)),
                keys(folder.resolve(TRAINERS)),
                keys(folder.resolve(REGISTRARS)),
                DrandChains.load(folder.resolve(DRAND)),
                vrf);
    }

    /** Reads a policy file alone, whatever its quorum. */
    public static WitnessPolicy readPolicy(Path file) throws AttestationException {
        try {
            return parse(file, PlainFile.read(file, PolicyReader.MAX_BYTES));
        } catch (NoSuchFileException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT,
                    "there is no policy " + file + ": a trust folder holds " + POLICY_FILE,
                    e);
        } catch (IOException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT,
                    "cannot read the policy " + file + " (" + e + "): a trust folder holds " + POLICY_FILE,
                    e);
        }
    }

    private static WitnessPolicy parse(Path file, byte[] text) throws AttestationException {
        try {
            return WitnessPolicy.parse(text);
        } catch (AttestationException e) {
            throw e.in(file.toString());
        }
    }

    /** Name under which an auditor's key is trusted. */
    public Optional<String> auditorName(VerifyingKey key) {
        return nameOf(auditors, key);
    }

    /** Name under which a trainer's key is trusted. */
    public Optional<String> trainerName(VerifyingKey key) {
        return nameOf(trainers, key);
    }

    /** Name under which a registrar's key is trusted. */
    public Optional<String> registrarName(VerifyingKey key) {
        return nameOf(registrars, key);
    }

    /** The key with which a witness answers beacons. */
    public Optional<VerifyingKey> vrfKeyOf(WitnessIdentity witness) {
        return Optional.ofNullable(witnessVrf.get(witness.name()));
    }

    /**
     * Text of a policy that accepts one log and needs all of the witnesses.
     *
     * @param witnesses two or more
     */
    public static String textRequiringAll(LogIdentity log, List<WitnessIdentity> witnesses) {
        StringBuilder text = new StringBuilder("log ").append(log.key().vkey());
        log.url().ifPresent(url -> text.append(' ').append(url));
        text.append('\n');
        StringBuilder group = new StringBuilder("group every-witness all");
        for (WitnessIdentity witness : witnesses) {
            text.append("witness ")
                    .append(witness.name())
                    .append(' ')
                    .append(witness.key().vkey());
            witness.url().ifPresent(url -> text.append(' ').append(url));
            text.append('\n');
            group.append(' ').append(witness.name());
        }
        return text.append(group).append("\nquorum every-witness\n").toString();
    }

    private static Optional<String> nameOf(SortedMap<String, VerifyingKey> keys, VerifyingKey key) {
        return keys.entrySet().stream()
                .filter(e -> e.getValue().equals(key))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private static SortedMap<String, VerifyingKey> keys(Path folder) throws AttestationException {
        SortedMap<String, VerifyingKey> keys = new TreeMap<>();
        Map<VerifyingKey, Path> seen = new HashMap<>();
        Map<String, Path> shown = new HashMap<>();
        for (Path file : files(folder)) {
            String name = String.valueOf(file.getFileName());
            if (!name.endsWith(SUFFIX) || !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                throw AttestationException.malformed(file + " should be a plain file NAME.pem with one public key");
            }
            requireReadable(file, name, shown);
            VerifyingKey key = KeyFolder.readVerifyingKey(file);
            Path before = seen.put(key, file);
            if (before != null) {
                throw AttestationException.malformed(
                        "%s and %s hold the same key; one key counts once: remove one".formatted(before, file));
            }
            keys.put(name.substring(0, name.length() - SUFFIX.length()), key);
        }
        return keys;
    }

    /** Reports call keys by these names: a person must be able to tell two of them apart. */
    private static void requireReadable(Path file, String name, Map<String, Path> shown) throws AttestationException {
        if (name.codePoints().anyMatch(NoteText::isInvisible)) {
            throw AttestationException.malformed("%s: the name has a character that nobody sees: rename the file"
                    .formatted(Excerpt.of(file.toString())));
        }
        String looks = Normalizer.normalize(name, Normalizer.Form.NFKC).toLowerCase(Locale.ROOT);
        Path before = shown.put(looks, file);
        if (before != null) {
            throw AttestationException.malformed(
                    "%s and %s look the same to people: rename one".formatted(before, file));
        }
    }

    private static List<Path> files(Path folder) throws AttestationException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return List.of();
        }
        if (!Files.isDirectory(folder)) {
            // Taken as empty, a file or a dangling link would silently drop keys, also those that may revoke others.
            throw AttestationException.malformed(folder + " should be a folder of keys, is something else");
        }
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> found = files.limit(MAX_KEYS + 1L).sorted().toList();
            if (found.size() > MAX_KEYS) {
                throw AttestationException.malformed(folder + " has over " + MAX_KEYS + " keys");
            }
            return found;
        } catch (IOException e) {
            throw new AttestationException(
                    AttestationException.Kind.ENVIRONMENT, "cannot list " + folder + ": " + e, e);
        }
    }
}
