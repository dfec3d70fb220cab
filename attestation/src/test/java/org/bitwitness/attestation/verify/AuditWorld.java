package org.bitwitness.attestation.verify;

import static org.bitwitness.attestation.Planted.key;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.bundle.TlogEntry;
import org.bitwitness.attestation.challenge.WitnessBeacons;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.CheckpointCosigner;
import org.bitwitness.attestation.log.LocalTileLog;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.log.NewEntry;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.note.NoteKeyType;
import org.bitwitness.attestation.note.NoteSigner;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.AuditVerdictStatement;
import org.bitwitness.attestation.statement.BeaconEvidence;
import org.bitwitness.attestation.statement.LogPosition;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.trust.LogIdentity;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.trust.WitnessIdentity;
import org.bitwitness.attestation.vrf.EcVrfP256;
import org.bitwitness.attestation.vrf.VrfProof;
import org.bitwitness.attestation.witness.BeaconRequest;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Confirmation;
import org.bitwitness.protocol.EvidenceGrade;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ReplayProof;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Resolution;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.audit.Beacon;
import org.bitwitness.protocol.audit.ChallengeSeed;
import org.bitwitness.protocol.audit.UnitDraw;
import org.bitwitness.protocol.audit.UnitPopulation;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;

/** A log on disk with two witnesses, a trust folder, and the people who write into the log. */
public final class AuditWorld implements AutoCloseable {
    public static final String ORIGIN = "log.example/bitwitness";
    public static final SigningKey TRAINER = org.bitwitness.attestation.statement.Samples.TRAINER;
    public static final SigningKey ALICE = key(21);
    public static final SigningKey BOB = key(22);

    /** An auditor that the trust folder does not name. */
    public static final SigningKey STRANGER = key(23);

    public static final List<SigningKey> WITNESS_VRF = List.of(key(31), key(32));
    public static final Instant START = Instant.parse("2026-01-02T03:04:05Z");

    public final Path logFolder;
    public final Path trustFolder;
    private final NoteSigner logKey = signer(ORIGIN, NoteKeyType.ED25519, 7);
    private final List<NoteSigner> witnesses = List.of(
            signer("w1.example", NoteKeyType.COSIGNATURE_V1, 8), signer("w2.example", NoteKeyType.COSIGNATURE_V1, 9));
    private final LocalTileLog log;

    public AuditWorld(Path folder) throws Exception {
        logFolder = folder.resolve("log");
        trustFolder = folder.resolve("trust");
        writeTrust();
        CheckpointCosigner cosigner = (note, proofs) -> new CheckpointCosigner.Collected(
                witnesses.stream().map(w -> w.cosign(note.text(), START)).toList(), List.of());
        log = LocalTileLog.open(logFolder, new LocalTileLog.Settings(logKey, trust().witnesses(), cosigner));
    }

    private void writeTrust() throws IOException {
        List<WitnessIdentity> identities = new ArrayList<>();
        for (int i = 0; i < witnesses.size(); i++) {
            identities.add(new WitnessIdentity("w" + (i + 1), witnesses.get(i).verifier(), Optional.empty()));
            put(
                    "witness-vrf/w" + (i + 1) + ".pem",
                    WITNESS_VRF.get(i).verifyingKey().pem());
        }
        put(
                "policy.txt",
                TrustPolicy.textRequiringAll(new LogIdentity(logKey.verifier(), Optional.empty()), identities));
        put("auditors/alice.pem", ALICE.verifyingKey().pem());
        put("auditors/bob.pem", BOB.verifyingKey().pem());
        put("trainers/acme.pem", TRAINER.verifyingKey().pem());
    }

    private void put(String name, String text) throws IOException {
        Path file = trustFolder.resolve(name);
        Files.createDirectories(java.util.Objects.requireNonNull(file.getParent()));
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    public TrustPolicy trust() throws AttestationException {
        return TrustPolicy.load(trustFolder);
    }

    public NoteSigner logKey() {
        return logKey;
    }

    public LogSurvey survey() throws AttestationException {
        return LogSurvey.read(LogReader.open(LogSources.at(logFolder.toString()), trust().witnesses()), trust());
    }

    public LogReceipt append(Statement statement, SigningKey key) throws AttestationException {
        return log.append(statement.sign(key), key.verifyingKey());
    }

    /** Appends an envelope that somebody else made. */
    public LogReceipt append(DsseEnvelope envelope, SigningKey key) throws AttestationException {
        return log.append(envelope, key.verifyingKey());
    }

    /** Appends what a log's server would not take, as an operator can. */
    public LogReceipt appendUnchecked(LogEntry entry, byte[] payload) throws AttestationException {
        return log.append(List.of(new NewEntry(entry.leaf(), payload))).getFirst();
    }

    public LogReceipt commit(Commitment commitment) throws AttestationException {
        return append(new TrainingCommitmentStatement(commitment).toStatement(), TRAINER);
    }

    /** The same place with the witnesses' signatures of another time, as anybody gets them while the log stands still. */
    public LogReceipt cosignedAgain(LogReceipt receipt, Instant time) {
        String text = receipt.checkpoint().text();
        SignedNote note = new SignedNote(text, List.of(logKey.sign(text)))
                .with(witnesses.stream().map(w -> w.cosign(text, time)).toList());
        return new LogReceipt(receipt.inclusion(), note, receipt.leaf());
    }

    /** A receipt for the tree as it is now. */
    public LogReceipt receiptNow(long index) throws AttestationException {
        return survey().log().receipt(index);
    }

    /** A bundle as it lies on disk beside a recording. */
    public SigstoreBundle bundle(Statement statement, SigningKey key) throws AttestationException {
        DsseEnvelope envelope = statement.sign(key);
        LogReceipt receipt = log.append(envelope, key.verifyingKey());
        return SigstoreBundle.of(key.verifyingKey(), envelope, Optional.of(TlogEntry.of(logKey.verifier(), receipt)));
    }

    /** Where a receipt says its entry stands. */
    public static LogPosition position(LogReceipt receipt) throws AttestationException {
        Checkpoint checkpoint = Checkpoint.parse(receipt.checkpoint().text());
        return new LogPosition(
                checkpoint.origin(), checkpoint.size(), checkpoint.root(), receipt.index(), receipt.leafHash());
    }

    /** Draws as an honest auditor does, with the witnesses answering in this process. */
    public AuditChallengeStatement draw(Commitment open, Commitment commitment, LogReceipt receipt, SigningKey auditor)
            throws AttestationException {
        return draw(open, commitment, position(receipt), auditor);
    }

    /** Draws on any position, so that tests can lie about it. */
    public AuditChallengeStatement draw(
            Commitment open, Commitment commitment, LogPosition position, SigningKey auditor)
            throws AttestationException {
        AuditPolicy policy = open.open().orElseThrow().policy();
        BeaconEvidence evidence = new BeaconEvidence.VrfOnly();
        Beacon beacon = new Beacon.VrfOnly();
        if (policy.beaconMode() == BeaconMode.WITNESS_VRF) {
            BeaconEvidence.WitnessVrf answers = answers(position);
            evidence = answers;
            beacon = WitnessBeacons.verify(answers, position, trust());
        }
        byte[] alpha = new ChallengeSeed(
                        position.origin(),
                        position.treeSize(),
                        position.root(),
                        position.leafIndex(),
                        position.leafHash(),
                        commitment.chainHash(),
                        beacon)
                .alpha();
        VrfProof proof = EcVrfP256.prove(auditor, alpha);
        Sha256 beta = EcVrfP256.verify(auditor.verifyingKey(), alpha, proof).orElseThrow();
        UnitPopulation population = UnitPopulation.of(policy, commitment);
        List<AuditUnit> units = population.units(UnitDraw.draw(beta, population.size(), policy.unitsPerAuditor()));
        return new AuditChallengeStatement(
                new AuditChallengeStatement.Target(commitment.runId(), commitment.digest(), commitment.chainHash()),
                position,
                evidence,
                proof,
                units);
    }

    private static BeaconEvidence.WitnessVrf answers(LogPosition position) {
        byte[] alpha = new BeaconRequest(position.origin(), position.treeSize(), position.root(), position.leafIndex())
                .alpha();
        return new BeaconEvidence.WitnessVrf(List.of(
                new BeaconEvidence.WitnessProof("w1.example", EcVrfP256.prove(WITNESS_VRF.get(0), alpha)),
                new BeaconEvidence.WitnessProof("w2.example", EcVrfP256.prove(WITNESS_VRF.get(1), alpha))));
    }

    public static AuditVerdictStatement verdict(
            Commitment commitment, LogReceipt commitmentReceipt, OptionalLong challenge, ReplayReport report) {
        return new AuditVerdictStatement(
                new AuditVerdictStatement.Basis(
                        commitment.runId(), commitment.digest(), commitmentReceipt.index(), challenge),
                report,
                List.of());
    }

    public static ReplayReport report(AuditUnit unit, Verdict verdict) {
        boolean diverged = verdict == Verdict.DIVERGED;
        return new ReplayReport(
                unit,
                verdict,
                diverged ? Optional.of(EvidenceGrade.PROVEN) : Optional.empty(),
                "vector",
                ProfileId.F32_C512,
                diverged ? Optional.of(new Confirmation("reference", Confirmation.Result.SAME)) : Optional.empty(),
                Hashing.sha256("root"),
                Hashing.sha256(diverged ? "other root" : "root"),
                diverged
                        ? Optional.of(FirstDifference.at(Resolution.OPERATOR)
                                .step(new StepIndex(3))
                                .worker(new WorkerId(2))
                                .operator("accumulate")
                                .build())
                        : Optional.empty(),
                verdict == Verdict.INCONCLUSIVE ? Optional.of("a self-test failed") : Optional.empty(),
                new ReplayProof(ReplayProof.Kind.WORK, Hashing.sha256("proof"), 12),
                Hashing.sha256("self-test"),
                Hashing.sha256("environment"),
                START,
                START.plusMillis(1500),
                4,
                2048,
                Duration.ofMillis(1500));
    }

    private static NoteSigner signer(String name, NoteKeyType type, int seed) {
        byte[] bytes = new byte[NoteSigner.SEED_BYTES];
        Arrays.fill(bytes, (byte) seed);
        try {
            return NoteSigner.ofSeed(name, type, bytes);
        } catch (AttestationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws AttestationException {
        log.close();
    }
}
