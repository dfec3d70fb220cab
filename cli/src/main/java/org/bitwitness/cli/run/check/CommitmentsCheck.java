package org.bitwitness.cli.run.check;

import java.util.Arrays;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.bundle.TlogEntry;
import org.bitwitness.attestation.dsse.VerifiedPayload;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.record.Commitment;

/**
 * Every commitment is signed by the trainer whom OPEN names, and its bundle is the one spelling of what it says. With a
 * trust folder: the trainer is trusted, and every commitment is in the log, cosigned, in order, OPEN first.
 */
final class CommitmentsCheck implements Check {
    @Override
    public String name() {
        return "commitments";
    }

    @Override
    public String file() {
        return "commitments";
    }

    @Override
    public String run(Subject subject, Findings findings) throws ProtocolException, AttestationException {
        VerifyingKey trainer;
        try {
            trainer = VerifyingKey.ofSpki(
                    subject.reader().open().open().orElseThrow().trainerSpki());
        } catch (AttestationException e) {
            throw e.in("commitments/0000.bin: trainerSpki");
        }
        Optional<TrustPolicy> trust = subject.trust();
        if (trust.isPresent() && trust.get().trainerName(trainer).isEmpty()) {
            findings.add(Difference.of(
                    "commitments/0000.bin", "trainerSpki", "a key in the trust folder's trainers", trainer));
        }
        long lastIndex = -1;
        for (Commitment commitment : subject.reader().commitments()) {
            String file = RecordingPaths.commitmentBundle(commitment.sequence()).text();
            try {
                Optional<Long> index = check(subject, commitment, trainer, findings, file);
                if (index.isPresent()) {
                    if (index.get() <= lastIndex) {
                        findings.add(Difference.of(
                                file, "logIndex", "over " + lastIndex + ", where the one before is", index.get()));
                    }
                    lastIndex = index.get();
                }
            } catch (AttestationException e) {
                refused(findings, file, e);
            }
        }
        int count = subject.reader().commitments().size();
        if (trust.isEmpty()) {
            findings.warn("no --trust folder: that the log and its witnesses hold the commitments was not checked, and"
                    + " the trainer's key is the one that the recording names itself");
            return "%d signed by the trainer whom OPEN names, one chain from OPEN".formatted(count);
        }
        return "%d signed by the trusted trainer, logged in order and cosigned".formatted(count);
    }

    /** Says where in the log the commitment is, when the bundle says so. */
    private static Optional<Long> check(
            Subject subject, Commitment commitment, VerifyingKey trainer, Findings findings, String file)
            throws ProtocolException, AttestationException {
        byte[] bytes = subject.reader().commitmentBundle(commitment.sequence());
        SigstoreBundle bundle = SigstoreBundle.parse(bytes);
        if (!Arrays.equals(bundle.toBytes(), bytes)) {
            throw AttestationException.malformed("not the one spelling of what it says (keys sorted, no other field)");
        }
        VerifiedPayload payload = bundle.verifySignature(trainer);
        Commitment signed = TrainingCommitmentStatement.parse(payload).commitment();
        findings.expect(
                RecordingPaths.commitment(commitment.sequence()).text(),
                "digest that %s signs".formatted(file),
                signed.digest(),
                commitment.digest());
        if (subject.trust().isPresent()) {
            return Optional.of(
                    bundle.verify(trainer, subject.trust().get().witnesses()).index());
        }
        if (bundle.entry().isPresent()) {
            TlogEntry entry = bundle.entry().get();
            if (!entry.leaf().standsFor(bundle.envelope())) {
                throw AttestationException.refused("the log entry stands for another envelope");
            }
            if (!entry.proof().proves(entry.leaf().leafHash(), entry.root())) {
                throw AttestationException.refused("the inclusion proof does not lead to its root");
            }
        }
        return bundle.entry().map(entry -> entry.proof().index());
    }

    private static void refused(Findings findings, String file, AttestationException e) throws AttestationException {
        switch (e.kind()) {
            case MALFORMED, REFUSED -> findings.add(Difference.refused(file, e.getMessage()));
            case INCONCLUSIVE -> findings.inconclusive(file + ": " + e.getMessage());
            case ENVIRONMENT -> throw e;
        }
    }
}
