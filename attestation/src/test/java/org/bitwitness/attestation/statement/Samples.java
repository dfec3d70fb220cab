package org.bitwitness.attestation.statement;

import static org.bitwitness.attestation.Planted.key;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.vrf.EcVrfP256;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ChainHash;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.DatasetRoot;
import org.bitwitness.protocol.DescriptorDigest;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.ReleasedRoot;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.StepsRoot;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.audit.DrillList;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.FileEntry;
import org.bitwitness.protocol.record.OpenExt;
import org.bitwitness.protocol.record.PlantedFault;

/** Small commitments, challenges and verdicts that the tests of several packages share. */
public final class Samples {
    public static final SigningKey TRAINER = key(1);
    public static final byte[] MODEL = "weights".getBytes(java.nio.charset.StandardCharsets.UTF_8);

    private Samples() {}

    public static Sha256 digest(String of) {
        return Hashing.sha256(of);
    }

    /** OPEN of a run; another seed makes another run. */
    public static Commitment open(String seed, BeaconMode mode) {
        return open(seed, mode, TRAINER);
    }

    /** OPEN of another trainer's run. */
    public static Commitment open(String seed, BeaconMode mode, SigningKey trainer) {
        AuditPolicy policy = new AuditPolicy("INIT,STEP,FINAL", 2, 1, mode, Duration.ofHours(1));
        return Commitment.open(
                List.of(file("descriptor.json", seed)),
                OpenExt.of(
                        new DescriptorDigest(digest("descriptor" + seed)),
                        new DatasetRoot(digest("dataset")),
                        new StateRoot(digest("state0")),
                        trainer.verifyingKey().spki(),
                        policy));
    }

    /** A finished run's last commitment, over {@code endStep} steps, that releases {@link #MODEL}. */
    public static Commitment last(Commitment open, long endStep) {
        return new Commitment(
                open.runId(),
                1,
                Optional.of(open.digest()),
                endStep,
                new StepsRoot(digest("steps")),
                new ChainHash(digest("chain" + open.runId())),
                new StateRoot(digest("stateN")),
                Optional.of(new ReleasedRoot(digest("released"))),
                List.of(
                        file("released/config.json", "{}"),
                        new FileEntry(
                                RecordingPath.of("released/model.safetensors"), MODEL.length, Hashing.sha256(MODEL)),
                        file("steps/000000000000.arrow", "steps")),
                Optional.empty());
    }

    public static FileEntry file(String path, String content) {
        return new FileEntry(RecordingPath.of(path), content.length(), digest(content));
    }

    /** A challenge with proofs of the right form; its draw is made up. */
    public static AuditChallengeStatement challenge(Commitment commitment, BeaconEvidence beacon, SigningKey auditor) {
        return new AuditChallengeStatement(
                target(commitment),
                new LogPosition("log.example/x", 2, digest("root"), 1, digest("leaf")),
                beacon,
                EcVrfP256.prove(auditor, new byte[] {1}),
                List.of(AuditUnit.parse("STEP(3)"), AuditUnit.parse("FINAL")));
    }

    public static AuditChallengeStatement.Target target(Commitment commitment) {
        return new AuditChallengeStatement.Target(
                commitment.runId(), new CommitmentDigest(commitment.digest().digest()), commitment.chainHash());
    }

    /** A drill of the run that {@link #open} with this seed opens, with a fault of every kind. */
    public static DrillList drill(String seed) {
        PlantedFault.BitPlace place = new PlantedFault.BitPlace("transformer.wte.weight", 5, 3);
        return new DrillList(
                new DescriptorDigest(digest("descriptor" + seed)),
                List.of(
                        new PlantedFault.ScaledGradient(new StepIndex(3), new WorkerId(2), 1.5f),
                        new PlantedFault.GradientBit(new StepIndex(5), new WorkerId(0), place),
                        new PlantedFault.SwappedMicroBatches(new StepIndex(8), new WorkerId(1), 0, 1),
                        new PlantedFault.ReductionBit(new StepIndex(13), place),
                        new PlantedFault.OtherLearningRate(new StepIndex(21), 0),
                        new PlantedFault.StateBit(new StepIndex(34), place)),
                digest("salt"));
    }

    public static BeaconEvidence witnessBeacon() {
        return new BeaconEvidence.WitnessVrf(List.of(
                new BeaconEvidence.WitnessProof("w1.example", EcVrfP256.prove(key(11), new byte[] {2})),
                new BeaconEvidence.WitnessProof("w2.example", EcVrfP256.prove(key(12), new byte[] {2}))));
    }
}
