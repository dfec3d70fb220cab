package org.bitwitness.replayer;

import java.util.Optional;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.RunSetup;
import org.bitwitness.protocol.Resolution;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.record.InitialSpec;
import org.bitwitness.protocol.record.Scalars;

/** {@code INIT}: state 0 follows from the descriptor, or is the external one that the descriptor names. */
final class InitUnit {
    private final CommittedRun run;
    private final StepEngine engine;
    private final ProofBuilder proof;
    private final Storage storage;

    InitUnit(CommittedRun run, StepEngine engine, ProofBuilder proof, Storage storage) {
        this.storage = storage;
        this.run = run;
        this.engine = engine;
        this.proof = proof;
    }

    UnitOutcome replay() throws StoreDamage {
        return switch (run.descriptor().initial()) {
            case InitialSpec.Seed _ -> fromSeed();
            case InitialSpec.External external -> given(external.digest());
        };
    }

    private UnitOutcome fromSeed() throws StoreDamage {
        Scalars scalars = Scalars.initial(run.descriptor().layout());
        HostState state = draw(engine);
        StateRoot computed = run.facts().stateRoot(state, scalars);
        possess(state);
        StateRoot expected = run.initialState();
        if (computed.equals(expected)) {
            return new UnitOutcome.Same(computed.digest());
        }
        Where where = Where.unit();
        String what = "the initial state does not follow from the descriptor";
        Optional<LoadedState> recorded = run.checkpointWithRoot(new StateIndex(0), expected, storage);
        StateDifference.Finer finer = recorded.isPresent()
                ? StateDifference.refine(where, recorded.get(), state, scalars)
                : new StateDifference.Finer(Resolution.UNIT, "; the recording keeps no state 0, so it goes no finer");
        return new UnitOutcome.Differs(new Difference(
                where.at(finer.resolution(), what + finer.story()),
                expected.digest(),
                computed.digest(),
                other -> run.facts().stateRoot(draw(other), scalars).digest()));
    }

    /** The external state has to be there and to be the one the descriptor names. */
    private UnitOutcome given(StateRoot named) throws StoreDamage {
        LoadedState state = run.checkpointWithRoot(new StateIndex(0), run.initialState(), storage)
                .orElseThrow(
                        () -> new StoreDamage("state 0 was given from outside, and the recording does not keep it"));
        possess(state.state());
        if (state.root().equals(named)) {
            return new UnitOutcome.Same(named.digest());
        }
        return new UnitOutcome.Differs(Difference.withoutArithmetic(
                Where.unit().at(Resolution.UNIT, "the run does not start from the external state its descriptor names"),
                named.digest(),
                state.root().digest()));
    }

    private HostState draw(StepEngine on) {
        HostState room = storage.state(on.manifest(), run.descriptor().optimizer(), 0);
        on.drawInitial(RunSetup.initialWeights(run.descriptor()).orElseThrow(), room);
        return room;
    }

    private void possess(HostState state) {
        proof.slots(new ProofBuilder.Address(0, 0, 0, 0), state.slots());
    }
}
