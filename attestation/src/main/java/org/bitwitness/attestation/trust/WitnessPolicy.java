package org.bitwitness.attestation.trust;

import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.attestation.note.NoteSignature;
import org.bitwitness.attestation.note.NoteVerifier;
import org.bitwitness.attestation.note.SignedNote;

/**
 * Which logs are accepted and which witnesses must have cosigned. Its text is c2sp.org/tlog-policy:
 *
 * <pre>
 * log example.com/log+4ea0d5a4+AR… https://example.com/log
 * witness w1 w1.example+6bd7a9d5+BK…
 * witness w2 w2.example+0c1d9e1f+BP…
 * group both all w1 w2
 * quorum both
 * </pre>
 *
 * @param logs in file order, distinct keys
 * @param witnesses in file order, distinct keys and names
 * @param quorum names only witnesses of the list
 */
public record WitnessPolicy(List<LogIdentity> logs, List<WitnessIdentity> witnesses, Quorum quorum) {
    public WitnessPolicy {
        logs = List.copyOf(logs);
        witnesses = List.copyOf(witnesses);
        if (!witnesses.containsAll(quorum.witnesses())) {
            throw new IllegalArgumentException("the quorum names a witness that the policy does not list");
        }
    }

    /** Reads the text form. */
    public static WitnessPolicy parse(byte[] text) throws AttestationException {
        return new PolicyReader().read(text);
    }

    /**
     * Judges a checkpoint.
     *
     * @throws AttestationException malformed, if the note is no checkpoint; refused, if no log of this policy signed
     *     it, a listed key's signature is bad, or too few witnesses cosigned
     */
    public VerifiedCheckpoint verify(SignedNote note) throws AttestationException {
        Checkpoint checkpoint = Checkpoint.parse(note.text());
        LogIdentity log = signingLog(checkpoint, note);
        Map<WitnessIdentity, Instant> cosigned = new LinkedHashMap<>();
        for (WitnessIdentity witness : witnesses) {
            latestTime(witness.key(), note).ifPresent(time -> cosigned.put(witness, time));
        }
        if (!quorum.isMetBy(cosigned::containsKey)) {
            throw AttestationException.refused(
                    "checkpoint %d of %s is cosigned by %s, the policy needs %s: do not rely on it; ask the log for a"
                                    .formatted(checkpoint.size(), checkpoint.origin(), names(cosigned), quorum.words())
                            + " checkpoint that the witnesses have seen");
        }
        return new VerifiedCheckpoint(checkpoint, note, log, cosigned);
    }

    /**
     * Every witness that the quorum names, ordered by the name in its key, as UTF-8 bytes. A beacon needs an answer
     * from all of them: were a part enough, whoever collects the answers could choose among outcomes.
     */
    public List<WitnessIdentity> beaconWitnesses() {
        return quorum.witnesses().stream()
                .sorted(Comparator.comparing(
                        w -> w.key().name().getBytes(java.nio.charset.StandardCharsets.UTF_8),
                        java.util.Arrays::compareUnsigned))
                .toList();
    }

    private LogIdentity signingLog(Checkpoint checkpoint, SignedNote note) throws AttestationException {
        for (LogIdentity log : logs) {
            if (log.origin().equals(checkpoint.origin())
                    && !note.verifiedBy(log.key()).isEmpty()) {
                return log;
            }
        }
        boolean known = logs.stream().anyMatch(l -> l.origin().equals(checkpoint.origin()));
        throw AttestationException.refused(
                known
                        ? "the checkpoint of %s is not signed by the key that the policy has for this log"
                                .formatted(checkpoint.origin())
                        : "the checkpoint is of log %s, the policy accepts %s"
                                .formatted(
                                        checkpoint.origin(),
                                        logs.isEmpty()
                                                ? "no log"
                                                : logs.stream()
                                                        .map(LogIdentity::origin)
                                                        .collect(Collectors.joining(", "))));
    }

    private static Optional<Instant> latestTime(NoteVerifier key, SignedNote note) throws AttestationException {
        Optional<Instant> latest = Optional.empty();
        for (NoteSignature signature : note.verifiedBy(key)) {
            Optional<Instant> time = key.claimedTime(signature);
            if (latest.isEmpty() || (time.isPresent() && time.get().isAfter(latest.get()))) {
                latest = time;
            }
        }
        return latest;
    }

    private static String names(Map<WitnessIdentity, Instant> cosigned) {
        return cosigned.isEmpty()
                ? "no witness of the policy"
                : cosigned.keySet().stream().map(WitnessIdentity::name).collect(Collectors.joining(", "));
    }
}
