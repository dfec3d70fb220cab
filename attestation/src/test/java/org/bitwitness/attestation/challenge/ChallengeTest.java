package org.bitwitness.attestation.challenge;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.bitwitness.attestation.Planted.assertRefused;
import static org.bitwitness.attestation.Planted.key;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.bundle.TlogEntry;
import org.bitwitness.attestation.drand.OwnDrand;
import org.bitwitness.attestation.dsse.DsseEnvelope;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.log.FolderLog;
import org.bitwitness.attestation.log.LocalTileLog;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.log.LogTestKit;
import org.bitwitness.attestation.statement.AuditChallengeStatement;
import org.bitwitness.attestation.statement.BeaconEvidence;
import org.bitwitness.attestation.statement.LogPosition;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.trust.LogIdentity;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.trust.WitnessIdentity;
import org.bitwitness.attestation.vrf.EcVrfP256;
import org.bitwitness.attestation.witness.Witness;
import org.bitwitness.attestation.witness.WitnessClient;
import org.bitwitness.attestation.witness.WitnessQuorum;
import org.bitwitness.attestation.witness.WitnessServer;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ChainHash;
import org.bitwitness.protocol.DatasetRoot;
import org.bitwitness.protocol.DescriptorDigest;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepsRoot;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.OpenExt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole path of one challenge, with two witnesses that answer over HTTP, and a lie at each step of it. */
class ChallengeTest {
    private static final SigningKey TRAINER = key(31);
    private static final SigningKey AUDITOR = key(32);
    private static final SigningKey STRANGER = key(33);

    @TempDir
    Path folder;

    private final List<WitnessServer> witnesses = new ArrayList<>();
    private TrustPolicy trust;
    private LocalTileLog log;
    private Commitment open;
    private Commitment commitment;
    private LoggedCommitment logged;

    @BeforeEach
    void commitARun() throws Exception {
        startWitnesses();
        trust = trustFolder();
        List<WitnessClient> clients = new ArrayList<>();
        for (WitnessIdentity witness : trust.witnesses().witnesses()) {
            clients.add(new WitnessClient(witness, witness.url().orElseThrow()));
        }
        log = LocalTileLog.open(
                folder.resolve("log"),
                new LocalTileLog.Settings(LogTestKit.logKey(), trust.witnesses(), new WitnessQuorum(clients)));
        open = open(BeaconMode.WITNESS_VRF, TRAINER);
        append(new TrainingCommitmentStatement(open).toStatement().sign(TRAINER), TRAINER);
        commitment = next(open, 10);
        logged = LoggedCommitment.verify(signed(commitment), append(signed(commitment), TRAINER), trust);
    }

    @AfterEach
    void stop() throws Exception {
        log.close();
        for (WitnessServer witness : witnesses) {
            witness.close();
        }
    }

    private void startWitnesses() throws Exception {
        for (int number = 1; number <= 2; number++) {
            Witness witness = Witness.open(
                    folder.resolve("witness-" + number),
                    new Witness.Settings(
                            LogTestKit.witnessKey(number),
                            Optional.of(key(20 + number)),
                            List.of(LogTestKit.logKey().verifier()),
                            InstantSource.fixed(LogTestKit.NOON)));
            witnesses.add(WitnessServer.start(witness, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
        }
    }

    private TrustPolicy trustFolder() throws Exception {
        List<WitnessIdentity> identities = new ArrayList<>();
        Path root = folder.resolve("trust");
        for (String sub : List.of(TrustPolicy.AUDITORS, TrustPolicy.TRAINERS, TrustPolicy.WITNESS_VRF)) {
            Files.createDirectories(root.resolve(sub));
        }
        for (int number = 1; number <= 2; number++) {
            URI url = witnesses.get(number - 1).url();
            identities.add(new WitnessIdentity(
                    "w" + number, LogTestKit.witnessKey(number).verifier(), Optional.of(url)));
            write(root.resolve("witness-vrf/w" + number + ".pem"), key(20 + number));
        }
        write(root.resolve("auditors/alice.pem"), AUDITOR);
        write(root.resolve("trainers/acme.pem"), TRAINER);
        LogIdentity identity = new LogIdentity(LogTestKit.logKey().verifier(), Optional.empty());
        Files.writeString(root.resolve(TrustPolicy.POLICY_FILE), TrustPolicy.textRequiringAll(identity, identities));
        return TrustPolicy.load(root);
    }

    private static void write(Path file, SigningKey key) throws Exception {
        Files.writeString(file, key.verifyingKey().pem());
    }

    private static Commitment open(BeaconMode mode, SigningKey trainer) {
        return Commitment.open(
                List.of(),
                OpenExt.of(
                        new DescriptorDigest(Hashing.sha256("descriptor")),
                        new DatasetRoot(Hashing.sha256("dataset")),
                        new StateRoot(Hashing.sha256("state 0")),
                        trainer.verifyingKey().spki(),
                        new AuditPolicy("INIT,STEP,FINAL", 4, 2, mode, Duration.ofHours(1))));
    }

    private static Commitment next(Commitment before, long endStep) {
        return new Commitment(
                before.runId(),
                before.sequence() + 1,
                Optional.of(before.digest()),
                endStep,
                new StepsRoot(Hashing.sha256("steps " + endStep)),
                new ChainHash(Hashing.sha256("chain " + endStep)),
                new StateRoot(Hashing.sha256("state " + endStep)),
                Optional.empty(),
                List.of(),
                Optional.empty());
    }

    private static DsseEnvelope signed(Commitment commitment) {
        return new TrainingCommitmentStatement(commitment).toStatement().sign(TRAINER);
    }

    private LogReceipt append(DsseEnvelope envelope, SigningKey key) throws AttestationException {
        return log.append(envelope, key.verifyingKey());
    }

    private long logged(AuditChallengeStatement challenge, SigningKey auditor) throws AttestationException {
        return append(challenge.toStatement().sign(auditor), auditor).index();
    }

    private ChallengeVerifier verifier() throws AttestationException {
        return new ChallengeVerifier(
                LogReader.open(LogSources.at(folder.resolve("log").toString()), trust.witnesses()), trust);
    }

    private VerifiedChallenge verify(AuditChallengeStatement challenge) throws AttestationException {
        long index = logged(challenge, AUDITOR);
        return verifier().verify(index);
    }

    private AuditChallengeStatement honest() throws AttestationException {
        return ChallengeDraw.draw(logged, open, AUDITOR, trust);
    }

    @Test
    void anybodyDrawsTheSameUnitsAgain() throws Exception {
        AuditChallengeStatement challenge = honest();
        assertEquals(4, challenge.units().size());
        assertEquals(challenge, honest(), "nothing in it depends on when it is drawn");
        VerifiedChallenge verified = verify(challenge);
        assertEquals(challenge.units(), verified.units());
        assertEquals("alice", verified.auditorName());
        assertEquals(commitment, verified.commitment());
        assertEquals(1, verified.commitmentIndex());
        assertNotEquals(
                challenge.units(),
                ChallengeDraw.draw(logged, open, STRANGER, trust).units(),
                "each key draws its own");
    }

    @Test
    void refusesUnitsThatWereNotDrawn() throws Exception {
        AuditChallengeStatement honest = honest();
        List<AuditUnit> other = new ArrayList<>(honest.units());
        other.set(0, AuditUnit.parse(other.contains(AuditUnit.parse("STEP(3)")) ? "STEP(4)" : "STEP(3)"));
        List<AuditUnit> fewer = honest.units().subList(0, 3);
        List<AuditUnit> reversed = new ArrayList<>(honest.units());
        Collections.reverse(reversed);
        for (List<AuditUnit> units : List.of(other, fewer, reversed)) {
            long index = logged(withUnits(honest, units), AUDITOR);
            assertRefused("the draw gives units", () -> verifier().verify(index));
        }
        verify(honest);
    }

    @Test
    void refusesABeaconWithAWitnessMissingAddedOrExchanged() throws Exception {
        AuditChallengeStatement honest = honest();
        List<BeaconEvidence.WitnessProof> proofs = ((BeaconEvidence.WitnessVrf) honest.beacon()).proofs();
        BeaconEvidence.WitnessProof one = proofs.get(0);
        BeaconEvidence.WitnessProof two = proofs.get(1);
        BeaconEvidence.WitnessProof extra = new BeaconEvidence.WitnessProof("w3.example", one.proof());
        requireRefused("lacks witness \"w2.example\"", new BeaconEvidence.WitnessVrf(List.of(one)));
        requireRefused("does not require", new BeaconEvidence.WitnessVrf(List.of(one, two, extra)));
        requireRefused(
                "is not its own",
                new BeaconEvidence.WitnessVrf(List.of(
                        new BeaconEvidence.WitnessProof(one.name(), two.proof()),
                        new BeaconEvidence.WitnessProof(two.name(), one.proof()))));
        requireRefused(
                "is not its own",
                new BeaconEvidence.WitnessVrf(List.of(
                        one, new BeaconEvidence.WitnessProof(two.name(), EcVrfP256.prove(STRANGER, new byte[] {1})))));
        requireRefused("nobody may choose the beacon", new BeaconEvidence.VrfOnly());
    }

    private void requireRefused(String words, BeaconEvidence beacon) throws AttestationException {
        AuditChallengeStatement honest = honest();
        long index = logged(
                new AuditChallengeStatement(honest.target(), honest.position(), beacon, honest.proof(), honest.units()),
                AUDITOR);
        assertRefused(words, () -> verifier().verify(index));
    }

    @Test
    void refusesAChallengeAboutAPlaceInTheLogThatIsNotThere() throws Exception {
        LogPosition at = logged.position();
        requirePositionRefused(
                "the commitment is not there",
                new LogPosition(at.origin(), at.treeSize(), at.root(), 0, at.leafHash()));
        requirePositionRefused(
                "root", new LogPosition(at.origin(), at.treeSize(), Hashing.sha256("x"), 1, at.leafHash()));
        requirePositionRefused(
                "it was drawn on log", new LogPosition("other.example/log", 2, at.root(), 1, at.leafHash()));
        requirePositionRefused(
                "holds the challenge itself", new LogPosition(at.origin(), 100, at.root(), 1, at.leafHash()));
        LogPosition ofOpen = new LogPosition(
                at.origin(),
                at.treeSize(),
                at.root(),
                0,
                org.bitwitness.protocol.merkle.MerkleTree.leafHash(
                        LogReader.open(LogSources.at(folder.resolve("log").toString()), trust.witnesses())
                                .leaf(0)));
        requirePositionRefused("the challenge names", ofOpen);
        verify(honest());
    }

    private void requirePositionRefused(String words, LogPosition position) throws AttestationException {
        AuditChallengeStatement honest = honest();
        long index = logged(
                new AuditChallengeStatement(honest.target(), position, honest.beacon(), honest.proof(), honest.units()),
                AUDITOR);
        assertRefused(words, () -> verifier().verify(index));
    }

    @Test
    void refusesALaterTreeThatWouldDrawOtherUnits() throws Exception {
        append(signed(next(commitment, 20)), TRAINER);
        LogReader reader = LogReader.open(LogSources.at(folder.resolve("log").toString()), trust.witnesses());
        LogReceipt later = reader.receipt(1);
        LoggedCommitment again = LoggedCommitment.verify(signed(commitment), later, trust);
        AttestationException e =
                assertRefused("the first tree of", () -> ChallengeDraw.draw(again, open, AUDITOR, trust));
        assertEquals(AttestationException.Kind.INCONCLUSIVE, e.kind());
        verify(honest());
    }

    @Test
    void refusesAnotherAuditorsProofAndAuditorsWhomThePolicyDoesNotAccept() throws Exception {
        AuditChallengeStatement honest = honest();
        long byStranger = logged(honest, STRANGER);
        assertRefused("not among the auditors", () -> verifier().verify(byStranger));
        AuditChallengeStatement strangers = ChallengeDraw.draw(logged, open, STRANGER, trust);
        long borrowed = logged(strangers, AUDITOR);
        assertRefused(
                "the VRF proof is not that of auditor alice", () -> verifier().verify(borrowed));
    }

    @Test
    void refusesToStartFromACommitmentThatIsNotLoggedAndWitnessed() throws Exception {
        Commitment unlogged = next(commitment, 20);
        SigstoreBundle bundle = SigstoreBundle.of(TRAINER.verifyingKey(), signed(unlogged), Optional.empty());
        assertRefused("is not logged", () -> LoggedCommitment.verify(bundle, trust));

        LogReceipt receipt = append(signed(commitment), TRAINER);
        assertRefused(
                "the receipt is of another envelope", () -> LoggedCommitment.verify(signed(unlogged), receipt, trust));
        LogReceipt alone = FolderLog.unwitnessed(folder.resolve("other-log"), signed(unlogged), TRAINER.verifyingKey());
        assertRefused("cosigned by no witness", () -> LoggedCommitment.verify(signed(unlogged), alone, trust));

        DsseEnvelope byStranger =
                new TrainingCommitmentStatement(unlogged).toStatement().sign(STRANGER);
        LogReceipt strangers = append(byStranger, STRANGER);
        assertRefused("not among the trainers", () -> LoggedCommitment.verify(byStranger, strangers, trust));
        Commitment otherRun = open(BeaconMode.VRF_ONLY, TRAINER);
        assertRefused("the OPEN given is of run", () -> ChallengeDraw.draw(logged, otherRun, AUDITOR, trust));
    }

    @Test
    void aBundleBesideARecordingStartsTheSameChallenge() throws Exception {
        LogReader reader = LogReader.open(LogSources.at(folder.resolve("log").toString()), trust.witnesses());
        LogReceipt receipt = reader.receipt(1);
        TlogEntry entry = TlogEntry.of(
                LogTestKit.logKey().verifier(),
                LogEntry.parse(receipt.leaf()),
                receipt.inclusion(),
                reader.checkpoint().checkpoint().root(),
                receipt.checkpoint().toString());
        SigstoreBundle bundle = SigstoreBundle.of(TRAINER.verifyingKey(), signed(commitment), Optional.of(entry));
        assertEquals(
                honest(),
                ChallengeDraw.draw(
                        LoggedCommitment.verify(SigstoreBundle.parse(bundle.toBytes()), trust), open, AUDITOR, trust));
    }

    @Test
    void aWitnessThatWithholdsLeavesTheCommitmentUnchallenged() throws Exception {
        witnesses.get(1).close();
        AttestationException e = assertRefused("NOT_CHALLENGED", this::honest);
        assertEquals(AttestationException.Kind.INCONCLUSIVE, e.kind());
    }

    @Test
    void aLogWithoutAPayloadDecidesNothing() throws Exception {
        long index = logged(honest(), AUDITOR);
        verifier().verify(index);
        Path payload = folder.resolve("log/payload")
                .resolve(signed(commitment).payloadDigest().hex());
        byte[] kept = Files.readAllBytes(payload);
        Files.delete(payload);
        AttestationException e =
                assertRefused("lacks the payload of entry 1", () -> verifier().verify(index));
        assertEquals(AttestationException.Kind.INCONCLUSIVE, e.kind());
        Files.write(payload, kept);
        verifier().verify(index);
    }

    @Test
    void modeVrfOnlyIsNamedAndNeedsNoWitness() throws Exception {
        Commitment alone = open(BeaconMode.VRF_ONLY, TRAINER);
        append(signed(alone), TRAINER);
        Commitment first = next(alone, 10);
        LoggedCommitment target = LoggedCommitment.verify(signed(first), append(signed(first), TRAINER), trust);
        VerifiedChallenge verified = verify(ChallengeDraw.draw(target, alone, AUDITOR, trust));
        assertEquals(BeaconMode.VRF_ONLY, verified.mode());
    }

    @Test
    void modeDrandUsesTheRoundThatTheWitnessesTimeFixesAndNoOther() throws Exception {
        Path drand = Files.createDirectories(folder.resolve("trust/drand"));
        Files.writeString(drand.resolve("own.json"), OwnDrand.info());
        trust = TrustPolicy.load(folder.resolve("trust"));
        Commitment opened = open(BeaconMode.DRAND, TRAINER);
        append(signed(opened), TRAINER);
        Commitment first = next(opened, 10);
        LoggedCommitment target = LoggedCommitment.verify(signed(first), append(signed(first), TRAINER), trust);
        AuditChallengeStatement honest =
                ChallengeDraw.draw(target, opened, AUDITOR, trust, (chain, round) -> OwnDrand.sign(round));
        BeaconEvidence.Drand beacon = (BeaconEvidence.Drand) honest.beacon();
        long fixed = OwnDrand.chain().roundAfter(LogTestKit.NOON);
        assertEquals(fixed, beacon.round());
        VerifiedChallenge verified = verify(honest);
        assertEquals(BeaconMode.DRAND, verified.mode());
        assertEquals(honest.units(), verified.units());
        BeaconEvidence later = new BeaconEvidence.Drand(
                fixed + 1, HexFormat.of().formatHex(OwnDrand.sign(fixed + 1)), beacon.checkpoint());
        assertRefused("the rule fixes round " + fixed, () -> verify(with(honest, later)));
        BeaconEvidence forged = new BeaconEvidence.Drand(
                fixed, HexFormat.of().formatHex(OwnDrand.sign(fixed + 1)), beacon.checkpoint());
        assertRefused("is not that of drand network own for round " + fixed, () -> verify(with(honest, forged)));
        BeaconEvidence elsewhere = new BeaconEvidence.Drand(
                fixed, beacon.signatureHex(), logged.checkpoint().note().toString());
        assertRefused("the challenge stands on", () -> verify(with(honest, elsewhere)));
        BeaconEvidence unwitnessed = new BeaconEvidence.Drand(
                fixed,
                beacon.signatureHex(),
                beacon.checkpoint().lines().limit(5).collect(joining("\n", "", "\n")));
        assertRefused("is cosigned by no witness", () -> verify(with(honest, unwitnessed)));
        assertRefused(
                "for round " + fixed,
                () -> ChallengeDraw.draw(target, opened, AUDITOR, trust, (chain, round) -> OwnDrand.sign(round + 1)));
    }

    private static AuditChallengeStatement with(AuditChallengeStatement honest, BeaconEvidence beacon) {
        return new AuditChallengeStatement(honest.target(), honest.position(), beacon, honest.proof(), honest.units());
    }

    private static AuditChallengeStatement withUnits(AuditChallengeStatement honest, List<AuditUnit> units) {
        return new AuditChallengeStatement(honest.target(), honest.position(), honest.beacon(), honest.proof(), units);
    }

    @Test
    void aTrustFolderNeedsTwoWitnessesAndDistinctKeys() throws Exception {
        Path root = folder.resolve("trust");
        Files.copy(root.resolve("auditors/alice.pem"), root.resolve("auditors/bob.pem"));
        assertRefused("hold the same key", () -> TrustPolicy.load(root));
        Files.delete(root.resolve("auditors/bob.pem"));
        Files.writeString(root.resolve("auditors/readme.txt"), "x");
        assertRefused("should be a plain file NAME.pem", () -> TrustPolicy.load(root));
        Files.delete(root.resolve("auditors/readme.txt"));
        TrustPolicy.load(root);
        String policy = Files.readString(root.resolve("policy.txt"));
        Files.write(
                root.resolve("policy.txt"), policy.replace(" all w1", " any w1").getBytes(UTF_8));
        assertRefused("can be met by 1 witnesses", () -> TrustPolicy.load(root));
    }
}
