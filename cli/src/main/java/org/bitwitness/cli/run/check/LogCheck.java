package org.bitwitness.cli.run.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.bundle.TlogEntry;
import org.bitwitness.attestation.dsse.LogEntry;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.statement.PredicateType;
import org.bitwitness.attestation.statement.Statement;
import org.bitwitness.attestation.statement.TrainingCommitmentStatement;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.RecordingPaths;
import org.bitwitness.protocol.record.Commitment;

/** The log holds these commitments at their places, and no other commitment of this run by its trainer. */
final class LogCheck implements Check {
    @Override
    public String name() {
        return "log";
    }

    @Override
    public String file() {
        return "commitments";
    }

    @Override
    public String run(Subject subject, Findings findings) throws ProtocolException, AttestationException {
        LogReader log = subject.log().orElseThrow();
        VerifyingKey trainer =
                VerifyingKey.ofSpki(subject.reader().open().open().orElseThrow().trainerSpki());
        for (Commitment commitment : subject.reader().commitments()) {
            String file = RecordingPaths.commitmentBundle(commitment.sequence()).text();
            SigstoreBundle bundle = SigstoreBundle.parse(subject.reader().commitmentBundle(commitment.sequence()));
            Optional<TlogEntry> entry = bundle.entry();
            if (entry.isEmpty()) {
                findings.add(Difference.of(file, "tlogEntries", "an entry of the log", "none"));
                continue;
            }
            long index = entry.get().proof().index();
            boolean same = index < log.size()
                    && Arrays.equals(log.leaf(index), entry.get().leaf().leaf());
            if (!same) {
                findings.add(Difference.of(
                        file,
                        "logIndex",
                        "the place of this entry in " + log.origin(),
                        index + ", where the log has another one or none"));
            }
        }
        List<String> strangers = strangers(subject, log, trainer);
        strangers.forEach(stranger -> findings.add(Difference.refused("commitments", stranger)));
        return "%s of %d entries holds every commitment and no other one of this run"
                .formatted(log.origin(), log.size());
    }

    /** Commitments of this run in the log that the recording does not show: the run was cut back or forked. */
    private static List<String> strangers(Subject subject, LogReader log, VerifyingKey trainer)
            throws AttestationException {
        List<String> strangers = new ArrayList<>();
        log.visit(0, (long index, LogEntry entry, Optional<byte[]> payload) -> {
            if (!entry.key().equals(trainer) || payload.isEmpty()) {
                return;
            }
            Statement statement = Statement.parse(payload.get());
            if (!statement.predicateType().equals(PredicateType.TRAINING_COMMITMENT)) {
                return;
            }
            Commitment logged = TrainingCommitmentStatement.of(statement).commitment();
            boolean ours = logged.runId().equals(subject.reader().runId());
            if (ours && !subject.reader().commitments().contains(logged)) {
                strangers.add("log entry %d is commitment %d of this run with digest %s, which the recording lacks: it"
                                .formatted(index, logged.sequence(), logged.digest())
                        + " was cut back or rewritten");
            }
        });
        return strangers;
    }
}
