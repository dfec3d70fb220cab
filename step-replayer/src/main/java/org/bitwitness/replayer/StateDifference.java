package org.bitwitness.replayer;

import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.Phase;
import org.bitwitness.protocol.Resolution;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.replayer.StepReplay.Updated;

/**
 * Says where two states differ, down to the first element when the recording keeps the state itself: a checkpoint that
 * hashes to the root the record commits to is the trainer's own word about every element.
 */
final class StateDifference {
    /** What was found, how fine it is, and that as the end of a sentence. */
    record Finer(Resolution resolution, String story) {}

    private final CommittedRun run;
    private final Storage storage;

    StateDifference(CommittedRun run, Storage storage) {
        this.run = run;
        this.storage = storage;
    }

    FirstDifference between(StepRecord record, Updated updated) throws StoreDamage {
        Where where = Where.in(record.step()).phase(Phase.UPDATE);
        String what = "the gradient is equal, the state after the update is not";
        Optional<LoadedState> recorded =
                run.checkpointWithRoot(new StateIndex(record.step().value() + 1), record.stateRootAfter(), storage);
        if (recorded.isEmpty()) {
            return where.at(Resolution.PHASE, what + "; the recording keeps no checkpoint of it, so it goes no finer");
        }
        Finer finer = refine(where, recorded.get(), updated.after(), updated.next());
        return where.at(finer.resolution(), what + finer.story());
    }

    /** Adds tensor, element and bits to {@code where}. */
    static Finer refine(Where where, LoadedState recorded, HostState computed, Scalars scalars) {
        return tensors(where, recorded.state(), computed)
                .or(() -> scalars(where, recorded.scalars(), scalars))
                .orElse(new Finer(Resolution.PHASE, ""));
    }

    private static Optional<Finer> tensors(Where where, HostState recorded, HostState computed) {
        List<HostState.Slot> theirs = recorded.slots();
        List<HostState.Slot> ours = computed.slots();
        for (int i = 0; i < ours.size(); i++) {
            Optional<Finer> found = elements(
                    where,
                    ours.get(i).name(),
                    theirs.get(i).data().get(),
                    ours.get(i).data().get());
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private static Optional<Finer> elements(Where where, String tensor, float[] recorded, float[] computed) {
        for (int i = 0; i < computed.length; i++) {
            if (Float.floatToIntBits(recorded[i]) != Float.floatToIntBits(computed[i])) {
                where.tensor(tensor).index(i).bits(recorded[i], computed[i]);
                String story = "; first in element %d of %s: %s recorded, %s computed"
                        .formatted(i, tensor, recorded[i], computed[i]);
                return Optional.of(new Finer(Resolution.ELEMENT, story));
            }
        }
        return Optional.empty();
    }

    private static Optional<Finer> scalars(Where where, Scalars recorded, Scalars computed) {
        return scalar(where, "rngCounter", recorded.rngCounter(), computed.rngCounter())
                .or(() -> scalar(where, "updateCount", recorded.updateCount(), computed.updateCount()))
                .or(() -> scalar(where, "schedulePosition", recorded.schedulePosition(), computed.schedulePosition()))
                .or(() -> scalar(where, "epoch", recorded.epoch(), computed.epoch()))
                .or(() -> scalar(where, "samplePosition", recorded.samplePosition(), computed.samplePosition()));
    }

    private static Optional<Finer> scalar(Where where, String name, long recorded, long computed) {
        if (recorded == computed) {
            return Optional.empty();
        }
        where.tensor("scalars." + name).bits(Where.hex(recorded), Where.hex(computed));
        String known = name.equals("rngCounter") ? "the RNG counter" : "the scalar " + name;
        String story = "; every tensor is equal, %s is recorded as %d and is %d".formatted(known, recorded, computed);
        return Optional.of(new Finer(Resolution.TENSOR, story));
    }
}
