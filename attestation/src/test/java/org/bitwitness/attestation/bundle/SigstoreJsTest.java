package org.bitwitness.attestation.bundle;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.bitwitness.attestation.Planted.key;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.OtherSoftware;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.merkle.InclusionProof;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** npm's {@code @sigstore/verify} judges bundles of ours, with inclusion in a log of ours, offline. */
public class SigstoreJsTest {
    private static final SigningKey ALICE = key(1);
    private static final SigningKey BOB = key(2);

    @TempDir
    Path folder;

    @Test
    void acceptsOurBundleAndRefusesEachPlantedFault() throws Exception {
        Path npm = OtherSoftware.npm(SigstoreJsTest.class, List.of("package.json", "verify.mjs"));
        LittleLog log = new LittleLog();
        List<DsseEnvelope> envelopes = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            DsseEnvelope envelope = envelope(i, ALICE);
            envelopes.add(envelope);
            log.append(envelope, ALICE.verifyingKey());
        }
        SigstoreBundle good = log.bundle(envelopes.get(2), ALICE.verifyingKey(), 2);
        good.verify(ALICE.verifyingKey(), log.policy());
        LittleLog otherLog = new LittleLog(LittleLog.ORIGIN, 66);
        otherLog.append(envelopes.get(2), ALICE.verifyingKey());

        List<String> files = List.of(
                write("good", good),
                write("wrong-index", withIndex(good, 3)),
                write("wrong-payload", new SigstoreBundle(good.hint(), envelope(9, ALICE), good.entry())),
                write("wrong-signature", new SigstoreBundle(good.hint(), envelope(2, BOB), good.entry())),
                write("other-log", otherLog.bundle(envelopes.get(2), ALICE.verifyingKey(), 0)),
                write("unlogged", SigstoreBundle.of(ALICE.verifyingKey(), envelopes.get(2), Optional.empty())),
                write("changed-checkpoint", withCheckpoint(good)));
        Path root = Files.writeString(
                folder.resolve("trusted_root.json"),
                TrustedRoot.write(log.policy().logs()));
        assertEquals(
                List.of(
                        "accepted",
                        "refused: TLOG_INCLUSION_PROOF_ERROR",
                        "refused: TLOG_BODY_ERROR",
                        "refused: TLOG_BODY_ERROR",
                        "refused: TLOG_INCLUSION_PROOF_ERROR",
                        "refused: TLOG_ERROR",
                        "refused: TLOG_INCLUSION_PROOF_ERROR"),
                verify(npm, root, ALICE, good.hint().hex(), files));
        assertEquals(
                List.of("refused: SIGNATURE_ERROR"),
                verify(npm, root, BOB, good.hint().hex(), files.subList(0, 1)),
                "wrong key under the right hint");
        assertEquals(
                List.of("refused: PUBLIC_KEY_ERROR"),
                verify(npm, root, BOB, BOB.verifyingKey().id().hex(), files.subList(0, 1)),
                "key that the bundle does not name");
    }

    @Test
    void opensslChecksTheSignatureOverTheEncoding() throws Exception {
        OtherSoftware.require("openssl", "version");
        DsseEnvelope envelope = envelope(1, ALICE);
        Files.writeString(folder.resolve("public.pem"), ALICE.verifyingKey().pem());
        Files.write(folder.resolve("pae"), envelope.pae());
        Files.write(folder.resolve("sig"), envelope.onlySignature().bytes());
        List<String> command =
                List.of("openssl", "dgst", "-sha256", "-verify", "public.pem", "-signature", "sig", "pae");
        assertEquals("Verified OK", OtherSoftware.run(folder, command).output().strip());
        Files.write(folder.resolve("pae"), envelope(2, ALICE).pae());
        assertEquals(1, OtherSoftware.run(folder, command).exitCode(), "another payload");
    }

    @Test
    void readsKeysThatOpensslMadeAndTheOtherWayRound() throws Exception {
        OtherSoftware.require("openssl", "version");
        OtherSoftware.run(
                folder,
                List.of(
                        "openssl",
                        "genpkey",
                        "-algorithm",
                        "EC",
                        "-pkeyopt",
                        "ec_paramgen_curve:P-256",
                        "-out",
                        "k.pem"));
        OtherSoftware.run(folder, List.of("openssl", "pkey", "-in", "k.pem", "-pubout", "-out", "p.pem"));
        SigningKey key = SigningKey.ofPem(Files.readString(folder.resolve("k.pem")));
        assertEquals(
                Files.readString(folder.resolve("p.pem")), key.verifyingKey().pem());
        assertEquals(Files.readString(folder.resolve("k.pem")), key.pem());
    }

    private List<String> verify(Path npm, Path root, SigningKey key, String hint, List<String> files) throws Exception {
        Path pem =
                Files.writeString(folder.resolve("key.pem"), key.verifyingKey().pem());
        List<String> command = new ArrayList<>(List.of("node", "verify.mjs", root.toString(), pem.toString(), hint));
        command.addAll(files);
        return OtherSoftware.run(npm, command).output().lines().toList();
    }

    private String write(String name, SigstoreBundle bundle) throws Exception {
        return Files.write(folder.resolve(name + ".json"), bundle.toBytes()).toString();
    }

    private static SigstoreBundle withIndex(SigstoreBundle bundle, long index) {
        TlogEntry old = bundle.entry().orElseThrow();
        InclusionProof proof =
                new InclusionProof(index, old.proof().treeSize(), old.proof().path());
        return new SigstoreBundle(
                bundle.hint(),
                bundle.envelope(),
                Optional.of(new TlogEntry(old.logKeyId(), old.leaf(), proof, old.root(), old.checkpoint())));
    }

    private static SigstoreBundle withCheckpoint(SigstoreBundle bundle) {
        TlogEntry old = bundle.entry().orElseThrow();
        String root = Base64.getEncoder().encodeToString(old.root().bytes());
        String other =
                Base64.getEncoder().encodeToString(Hashing.sha256("other").bytes());
        return new SigstoreBundle(
                bundle.hint(),
                bundle.envelope(),
                Optional.of(new TlogEntry(
                        old.logKeyId(),
                        old.leaf(),
                        old.proof(),
                        old.root(),
                        old.checkpoint().replace(root, other))));
    }

    private static DsseEnvelope envelope(int i, SigningKey key) {
        return DsseEnvelope.sign(DsseEnvelope.IN_TOTO, "{\"n\":%d}".formatted(i).getBytes(UTF_8), key);
    }
}
