package org.bitwitness.replayer.dispute;

import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.InclusionProof;
import org.bitwitness.protocol.record.Scalars;

/** What a message says. The order of moves is {@link DisputeGame}'s business, their bytes {@link MoveCodec}'s. */
public sealed interface Move {

    /**
     * A side's trace, bound to the gradient it ends in.
     *
     * @param traceRoot root over the entries
     * @param emitted tensor roots of the last entry's outputs: the gradients
     * @param path siblings of the last entry, lowest first
     */
    record Claim(Sha256 traceRoot, List<Sha256> emitted, List<Sha256> path) {
        public Claim {
            emitted = List.copyOf(emitted);
            path = List.copyOf(path);
        }
    }

    /**
     * The auditor begins.
     *
     * @param commitment under which the step stands
     * @param inclusion of the step's record in that commitment
     * @param auditorKeyHex DER SubjectPublicKeyInfo in hex of who signs as auditor
     * @param refereeKeyHex the same of the referee
     * @param answerSeconds time for an answer, counted from a receipt of the referee
     * @param claim the auditor's own trace
     */
    record Open(
            RunId runId,
            CommitmentDigest commitment,
            AuditUnit.Gradient unit,
            InclusionProof inclusion,
            String auditorKeyHex,
            String refereeKeyHex,
            long answerSeconds,
            Claim claim)
            implements Move {
        /** Ten years: no clock of a referee needs more. */
        public static final long MAX_ANSWER_SECONDS = 315_576_000L;

        /** Less than a minute is no time to answer in. */
        public static final long MIN_ANSWER_SECONDS = 60;

        public Open {
            if (answerSeconds < MIN_ANSWER_SECONDS || answerSeconds > MAX_ANSWER_SECONDS) {
                throw new IllegalArgumentException("the time for an answer is %d to %d seconds, got %d"
                        .formatted(MIN_ANSWER_SECONDS, MAX_ANSWER_SECONDS, answerSeconds));
            }
        }
    }

    /** The trainer answers with its own trace. */
    record Defence(Claim claim) implements Move {}

    /** The two children of the node that differs. */
    record Halves(Sha256 left, Sha256 right) implements Move {}

    /** The entry that differs; all but the roots of its outputs follows from the program. */
    record Entry(List<Sha256> outputs) implements Move {
        public Entry {
            outputs = List.copyOf(outputs);
        }
    }

    /**
     * Proves the roots of the disputed operator's inputs; their data lies beside the messages, under these roots.
     *
     * @param stateTree MTH over the leaves of the state's tensors
     * @param scalars of the state before the step
     * @param entries earlier entries that it reads, ascending
     * @param parameters tensors of the state that it reads, in its order
     */
    record Inputs(Sha256 stateTree, Scalars scalars, List<OpenedEntry> entries, List<OpenedTensor> parameters)
            implements Move {
        public Inputs {
            entries = List.copyOf(entries);
            parameters = List.copyOf(parameters);
        }
    }

    /** An earlier entry, which both traces have. */
    record OpenedEntry(int index, List<Sha256> outputs, List<Sha256> path) {
        public OpenedEntry {
            outputs = List.copyOf(outputs);
            path = List.copyOf(path);
        }
    }

    /** A tensor of the state before the step. */
    record OpenedTensor(String name, Sha256 root, List<Sha256> path) {
        public OpenedTensor {
            path = List.copyOf(path);
        }
    }

    /**
     * The referee has seen everything up to here.
     *
     * @param seenAt seconds since 1970 on its clock
     * @param deadline second after which it may rule that the side whose turn it is forfeits
     */
    record Receipt(long seenAt, long deadline) implements Move {}

    /** Who loses. */
    enum Outcome {
        TRAINER_LOSES,
        AUDITOR_LOSES,
        BOTH_LOSE,
        /** The referee's own backends disagree, or the operator cannot be executed. */
        UNDECIDED
    }

    /** What a ruling rests on, strongest last. */
    enum Ground {
        /** The referee's clock; recorded as a forfeit, it proves nothing about the gradient. */
        FORFEIT,
        /** A signed message that contradicts what its signer had committed to. */
        CONTRADICTION,
        /** The operator, executed. */
        OPERATOR
    }

    /**
     * The referee decides.
     *
     * @param seenAt seconds since 1970 on its clock
     * @param backends who executed the operator; none where no operator was
     * @param computed tensor root of the disputed output, where the backends agree on it
     */
    record Ruling(long seenAt, Outcome outcome, Ground ground, List<String> backends, Optional<Sha256> computed)
            implements Move {
        public Ruling {
            backends = List.copyOf(backends);
        }
    }
}
