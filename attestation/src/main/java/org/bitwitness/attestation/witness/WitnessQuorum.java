package org.bitwitness.attestation.witness;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.log.CheckpointCosigner;
import org.bitwitness.attestation.note.NoteSignature;
import org.bitwitness.attestation.note.SignedNote;

/** Asks several witnesses at once. One that gives no cosignature is left out, and the answer says why. */
public final class WitnessQuorum implements CheckpointCosigner {
    private final List<WitnessClient> witnesses;

    public WitnessQuorum(List<WitnessClient> witnesses) {
        this.witnesses = List.copyOf(witnesses);
    }

    @Override
    public Collected cosign(SignedNote checkpoint, ConsistencyProofs proofs) throws AttestationException {
        List<Future<List<NoteSignature>>> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (WitnessClient witness : witnesses) {
                Callable<List<NoteSignature>> question = () -> witness.cosign(checkpoint, proofs);
                answers.add(threads.submit(question));
            }
        }
        List<NoteSignature> signatures = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (Future<List<NoteSignature>> answer : answers) {
            try {
                signatures.addAll(answer.get());
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof AttestationException problem)) {
                    throw new IllegalStateException("asking a witness failed", e);
                }
                problems.add(problem.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AttestationException(AttestationException.Kind.ENVIRONMENT, "interrupted", e);
            }
        }
        problems.forEach(
                problem -> System.getLogger(WitnessQuorum.class.getName()).log(System.Logger.Level.WARNING, problem));
        return new Collected(signatures, problems);
    }
}
