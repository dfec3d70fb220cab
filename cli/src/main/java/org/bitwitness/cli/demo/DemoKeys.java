package org.bitwitness.cli.demo;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.note.NoteKeyFolder;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.trust.LogIdentity;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.trust.WitnessIdentity;

/** Who takes part in a demo. In life these keys are on different machines of people who do not trust each other. */
final class DemoKeys {
    static final String TRAINER = "trainer";
    static final String LIAR = "liar";
    static final String LOG = "log";
    static final List<String> WITNESSES = List.of("witness-a", "witness-b");

    /** The log's name in every checkpoint. A verifier looks keys up by it. */
    static final String ORIGIN = "bitwitness.example/demo";

    private final DemoFolder folder;
    private final int auditors;

    /** @param auditors how many auditors to make keys for */
    DemoKeys(DemoFolder folder, int auditors) {
        this.folder = folder;
        this.auditors = auditors;
    }

    /** Makes every key: P-256 for whoever signs statements or answers beacons, Ed25519 for the log and cosignatures. */
    void create(SecureRandom random) throws AttestationException {
        for (String name : statementSigners()) {
            KeyFolder.createP256(folder.key(name), random);
        }
        for (String witness : WITNESSES) {
            KeyFolder.createP256(folder.key(vrfKey(witness)), random);
            NoteKeyFolder.write(
                    folder.key(witness),
                    NoteSigner.create("bitwitness.example/" + witness, NoteKeyType.COSIGNATURE_V1, random));
        }
        NoteKeyFolder.write(folder.key(LOG), NoteSigner.create(ORIGIN, NoteKeyType.ED25519, random));
    }

    /** Names of the auditors, {@code auditor-1} and so on. */
    List<String> auditorNames() {
        return IntStream.rangeClosed(1, auditors).mapToObj(i -> "auditor-" + i).toList();
    }

    static String vrfKey(String witness) {
        return witness + "-vrf";
    }

    /**
     * Writes the trust folder: whose log, whose cosignatures, whose commitments and verdicts count.
     *
     * @param witnessUrls where each witness of {@link #WITNESSES} answers, in that order
     */
    void writeTrust(List<URI> witnessUrls) throws AttestationException, IOException {
        List<WitnessIdentity> witnesses = new ArrayList<>();
        for (int i = 0; i < WITNESSES.size(); i++) {
            String name = WITNESSES.get(i);
            witnesses.add(new WitnessIdentity(
                    name, NoteKeyFolder.verifier(folder.key(name)), Optional.of(witnessUrls.get(i))));
        }
        LogIdentity log = new LogIdentity(NoteKeyFolder.verifier(folder.key(LOG)), Optional.empty());
        Path trust = Files.createDirectories(folder.trust());
        Files.writeString(trust.resolve(TrustPolicy.POLICY_FILE), TrustPolicy.textRequiringAll(log, witnesses));
        for (String name : statementSigners()) {
            String group = name.startsWith("auditor") ? TrustPolicy.AUDITORS : TrustPolicy.TRAINERS;
            copyPublicKey(name, trust.resolve(group), name);
        }
        for (String witness : WITNESSES) {
            copyPublicKey(vrfKey(witness), trust.resolve(TrustPolicy.WITNESS_VRF), witness);
        }
    }

    private List<String> statementSigners() {
        List<String> names = new ArrayList<>(List.of(TRAINER, LIAR));
        names.addAll(auditorNames());
        return names;
    }

    private void copyPublicKey(String key, Path group, String name) throws IOException {
        Files.createDirectories(group);
        Files.copy(folder.key(key).resolve(KeyFolder.PUBLIC_FILE), group.resolve(name + ".pem"));
    }
}
