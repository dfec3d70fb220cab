package org.bitwitness.cli.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.bundle.TlogEntry;
import org.bitwitness.attestation.challenge.WitnessBeacons;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.CheckpointCosigner;
import org.bitwitness.attestation.log.LocalTileLog;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.statement.BeaconEvidence;
import org.bitwitness.attestation.statement.LogPosition;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.statement.VerificationSummary;
import org.bitwitness.attestation.trust.LogIdentity;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.trust.WitnessIdentity;
import org.bitwitness.attestation.vrf.EcVrfP256;
import org.bitwitness.attestation.vrf.VrfProof;
import org.bitwitness.attestation.witness.BeaconRequest;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ChainHash;
import org.bitwitness.protocol.Confirmation;
import org.bitwitness.protocol.DatasetRoot;
import org.bitwitness.protocol.DescriptorDigest;
import org.bitwitness.protocol.EvidenceGrade;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.ReleasedRoot;
import org.bitwitness.protocol.ReplayProof;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Resolution;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.StepsRoot;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.audit.ChallengeSeed;
import org.bitwitness.protocol.audit.UnitDraw;
import org.bitwitness.protocol.audit.UnitPopulation;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.FileEntry;
import org.bitwitness.protocol.record.OpenExt;

/** A finished run in a witnessed log, its released folder, a trust folder, and an auditor called alice. */
final class PublicWorld implements AutoCloseable {
    static final String ORIGIN = "log.example/bitwitness";
    private static final Instant TIME = Instant.parse("2026-01-02T03:04:05Z");

    final Path log;
    final Path trust;
    final Path released;
    final Path model;
    final SigningKey trainer = SigningKey.generate(new SecureRandom());
    final SigningKey alice = SigningKey.generate(new SecureRandom());
    final SigningKey stranger = SigningKey.generate(new SecureRandom());
    private final List<SigningKey> beaconKeys =
            List.of(SigningKey.generate(new SecureRandom()), SigningKey.generate(new SecureRandom()));
    private final NoteSigner logKey;
    private final LocalTileLog writer;
    final Commitment open;
    final Commitment last;
    final LogReceipt lastReceipt;

    PublicWorld(Path folder) throws Exception {
        log = folder.resolve("log");
        trust = folder.resolve("trust");
        released = folder.resolve("released");
        model = released.resolve("model.safetensors");
        put(model, "weights");
        put(released.resolve("config.json"), "{}");
        ReleasedRoot root = org.bitwitness.attestation.oms.ModelSignature.sign(released, trainer);
        logKey = NoteSigner.create(ORIGIN, NoteKeyType.ED25519, new SecureRandom());
        List<NoteSigner> witnesses = List.of(witness("w1.example"), witness("w2.example"));
        writeTrust(witnesses);
        CheckpointCosigner cosigner = (note, proofs) -> new CheckpointCosigner.Collected(
                witnesses.stream().map(w -> w.cosign(note.text(), TIME)).toList(), List.of());
        writer = LocalTileLog.open(
                log, new LocalTileLog.Settings(logKey, TrustPolicy.load(trust).witnesses(), cosigner));
        open = open(trainer);
        last = last(open, root);
        append(new TrainingCommitmentStatement(open).toStatement(), trainer);
        lastReceipt = append(new TrainingCommitmentStatement(last).toStatement(), trainer);
    }

    private void writeTrust(List<NoteSigner> witnesses) throws IOException {
        List<WitnessIdentity> identities = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            identities.add(new WitnessIdentity("w" + i, witnesses.get(i).verifier(), Optional.empty()));
            put(
                    trust.resolve("witness-vrf/w" + i + ".pem"),
                    beaconKeys.get(i).verifyingKey().pem());
        }
        put(
                trust.resolve("policy.txt"),
                TrustPolicy.textRequiringAll(new LogIdentity(logKey.verifier(), Optional.empty()), identities));
        put(trust.resolve("auditors/alice.pem"), alice.verifyingKey().pem());
        put(trust.resolve("trainers/acme.pem"), trainer.verifyingKey().pem());
    }

    private static Commitment open(SigningKey trainer) {
        return Commitment.open(
                List.of(file("descriptor.json", "descriptor")),
                OpenExt.of(
                        new DescriptorDigest(digest("descriptor")),
                        new DatasetRoot(digest("dataset")),
                        new StateRoot(digest("state 0")),
                        trainer.verifyingKey().spki(),
                        new AuditPolicy("INIT,STEP,FINAL", 3, 1, BeaconMode.WITNESS_VRF, Duration.ofHours(1))));
    }

    private static Commitment last(Commitment open, ReleasedRoot root) {
        return new Commitment(
                open.runId(),
                1,
                Optional.of(open.digest()),
                10,
                new StepsRoot(digest("steps")),
                new ChainHash(digest("chain")),
                new StateRoot(digest("state 10")),
                Optional.of(root),
                List.of(file("released/config.json", "{}"), file("released/model.safetensors", "weights")),
                Optional.empty());
    }

    LogReceipt append(Statement statement, SigningKey key) throws AttestationException {
        return writer.append(statement.sign(key), key.verifyingKey());
    }

    /** Writes a bundle beside the log, as an auditor does, and gives its path. */
    Path bundle(Statement statement, SigningKey key, String name) throws Exception {
        DsseEnvelope envelope = statement.sign(key);
        LogReceipt receipt = writer.append(envelope, key.verifyingKey());
        Path file = log.resolveSibling(name + ".sigstore.json");
        Files.write(
                file,
                SigstoreBundle.of(key.verifyingKey(), envelope, Optional.of(TlogEntry.of(logKey.verifier(), receipt)))
                        .toBytes());
        return file;
    }

    /** Draws, logs the challenge and a verdict on each unit; returns the bundle of the last verdict. */
    Path audit(SigningKey auditor, String name) throws Exception {
        Checkpoint checkpoint = Checkpoint.parse(lastReceipt.checkpoint().text());
        LogPosition position = new LogPosition(
                checkpoint.origin(), checkpoint.size(), checkpoint.root(), lastReceipt.index(), lastReceipt.leafHash());
        BeaconEvidence.WitnessVrf answers = answers(position);
        byte[] alpha = new ChallengeSeed(
                        position.origin(),
                        position.treeSize(),
                        position.root(),
                        position.leafIndex(),
                        position.leafHash(),
                        last.chainHash(),
                        WitnessBeacons.verify(answers, position, TrustPolicy.load(trust)))
                .alpha();
        VrfProof proof = EcVrfP256.prove(auditor, alpha);
        Sha256 beta = EcVrfP256.verify(auditor.verifyingKey(), alpha, proof).orElseThrow();
        UnitPopulation population = UnitPopulation.of(open.open().orElseThrow().policy(), last);
        AuditChallengeStatement challenge = new AuditChallengeStatement(
                new AuditChallengeStatement.Target(last.runId(), last.digest(), last.chainHash()),
                position,
                answers,
                proof,
                population.units(UnitDraw.draw(beta, population.size(), 3)));
        LogReceipt challenged = append(challenge.toStatement(), auditor);
        Path bundle = log;
        for (AuditUnit unit : challenge.units()) {
            bundle = bundle(verdict(unit, Verdict.REPRODUCED, OptionalLong.of(challenged.index())), auditor, name);
        }
        return bundle;
    }

    private BeaconEvidence.WitnessVrf answers(LogPosition position) {
        byte[] alpha = new BeaconRequest(position.origin(), position.treeSize(), position.root(), position.leafIndex())
                .alpha();
        return new BeaconEvidence.WitnessVrf(List.of(
                new BeaconEvidence.WitnessProof("w1.example", EcVrfP256.prove(beaconKeys.get(0), alpha)),
                new BeaconEvidence.WitnessProof("w2.example", EcVrfP256.prove(beaconKeys.get(1), alpha))));
    }

    /** Logs a run of this key that claims the released files and contradicts itself. */
    void claimTwice(SigningKey key) throws AttestationException {
        Commitment opened = open(key);
        append(new TrainingCommitmentStatement(opened).toStatement(), key);
        for (String story : List.of("one", "another")) {
            Commitment claim = last(opened, new ReleasedRoot(digest(story)));
            append(new TrainingCommitmentStatement(claim).toStatement(), key);
        }
    }

    /** A verdict that its auditor signed and did not log. */
    Path unlogged(SigningKey auditor, String unit) throws IOException {
        Statement verdict = verdict(AuditUnit.parse(unit), Verdict.REPRODUCED, OptionalLong.empty());
        return unlogged(verdict, auditor, "unlogged");
    }

    /** The companion of a verdict that is not in the log either. */
    Path summary(SigningKey auditor, Verdict verdict) throws IOException {
        AuditVerdictStatement.Basis basis =
                new AuditVerdictStatement.Basis(last.runId(), last.digest(), lastReceipt.index(), OptionalLong.empty());
        AuditVerdictStatement full =
                new AuditVerdictStatement(basis, report(AuditUnit.parse("STEP(3)"), verdict), List.of());
        Statement summary = VerificationSummary.of(full, digest("verdict"), auditor.verifyingKey())
                .orElseThrow();
        return unlogged(summary, auditor, verdict.name());
    }

    private Path unlogged(Statement statement, SigningKey key, String name) throws IOException {
        Path file = log.resolveSibling(name + ".sigstore.json");
        Files.write(
                file,
                SigstoreBundle.of(key.verifyingKey(), statement.sign(key), Optional.empty())
                        .toBytes());
        return file;
    }

    /** A spot check's verdict. */
    Path spot(SigningKey auditor, String unit, Verdict verdict, String name) throws Exception {
        return bundle(verdict(AuditUnit.parse(unit), verdict, OptionalLong.empty()), auditor, name);
    }

    private Statement verdict(AuditUnit unit, Verdict verdict, OptionalLong challenge) {
        return new AuditVerdictStatement(
                        new AuditVerdictStatement.Basis(last.runId(), last.digest(), lastReceipt.index(), challenge),
                        report(unit, verdict),
                        List.of())
                .toStatement();
    }

    private static ReplayReport report(AuditUnit unit, Verdict verdict) {
        boolean diverged = verdict == Verdict.DIVERGED;
        return new ReplayReport(
                unit,
                verdict,
                diverged ? Optional.of(EvidenceGrade.PROVEN) : Optional.empty(),
                "vector",
                ProfileId.F32_C512,
                diverged ? Optional.of(new Confirmation("reference", Confirmation.Result.SAME)) : Optional.empty(),
                digest("root"),
                digest(diverged ? "other root" : "root"),
                diverged
                        ? Optional.of(FirstDifference.at(Resolution.OPERATOR)
                                .step(new StepIndex(3))
                                .operator("accumulate")
                                .build())
                        : Optional.empty(),
                verdict == Verdict.INCONCLUSIVE ? Optional.of("the self-test failed") : Optional.empty(),
                new ReplayProof(ReplayProof.Kind.WORK, digest("proof"), 3),
                digest("self-test"),
                digest("environment"),
                TIME,
                TIME.plusSeconds(1),
                1,
                512,
                Duration.ofSeconds(1));
    }

    private static NoteSigner witness(String name) throws AttestationException {
        return NoteSigner.create(name, NoteKeyType.COSIGNATURE_V1, new SecureRandom());
    }

    private static FileEntry file(String path, String content) {
        return new FileEntry(RecordingPath.of(path), content.length(), digest(content));
    }

    private static Sha256 digest(String of) {
        return Hashing.sha256(of);
    }

    static void put(Path file, String text) throws IOException {
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.writeString(file, text);
    }

    /** Writes a public key where {@code --key} finds it. */
    Path publicKey(SigningKey key) throws IOException {
        Path file = log.resolveSibling("stranger").resolve(KeyFolder.PUBLIC_FILE);
        put(file, key.verifyingKey().pem());
        return file;
    }

    @Override
    public void close() throws AttestationException {
        writer.close();
    }
}
