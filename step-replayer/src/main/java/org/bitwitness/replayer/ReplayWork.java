package org.bitwitness.replayer;

import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.ModelSpec.Family;

/**
 * How much there is to do in a unit, for an estimate of the time.
 *
 * @param floatingPointOperations of matrix products and attention, forward, backward, and forward again
 * @param spilledBytes to and from the temporary file
 */
public record ReplayWork(double floatingPointOperations, double spilledBytes) {
    /** Forward is one third of forward and backward. */
    private static final double RECOMPUTED = 4.0 / 3.0;

    private static final int PER_WEIGHT = 6;

    /** @throws ReplayException if the recording cannot say where a replay of the unit starts */
    static ReplayWork of(CommittedRun run, AuditUnit unit, Manner manner) throws ReplayException {
        Descriptor d = run.descriptor();
        double workers = gradients(run, unit);
        double steps = workers / run.mostWorkers();
        double tokens = workers
                * d.data().microBatches()
                * d.data().sequencesPerMicroBatch()
                * d.data().contextLength();
        double operations = tokens * perToken(run.facts().model(), d.data().contextLength());
        double parameters = 0;
        for (Parameter p : ParameterManifest.of(run.facts().model()).parameters()) {
            parameters += (double) p.size() * Float.BYTES;
        }
        // Forward, twice backward, and once more computed again; and every micro-batch's gradient there and back.
        double paged = manner.pages() ? 6 * workers * d.data().microBatches() * parameters : 0;
        double state = parameters * (1 + d.optimizer().momentPrefixes().size());
        return new ReplayWork(
                manner.economy().recompute() ? operations * RECOMPUTED : operations,
                manner.spills() ? 3 * (workers * parameters + steps * state) + paged : 0);
    }

    /** Workers' gradients to compute, over all steps. */
    private static double gradients(CommittedRun run, AuditUnit unit) throws ReplayException {
        long all = run.mostWorkers();
        return switch (unit) {
            case AuditUnit.Init _ -> 0;
            case AuditUnit.Data _ -> 0;
            case AuditUnit.Final _ -> all * stepsTo(run, run.endStep(), run.endStep());
            case AuditUnit.Gradient g ->
                all * stepsTo(run, g.step().value(), g.step().value()) + 1;
            case AuditUnit.Reduce r ->
                all * stepsTo(run, r.step().value(), r.step().value() + 1);
            case AuditUnit.Update u ->
                all * stepsTo(run, u.step().value(), u.step().value() + 1);
            case AuditUnit.Step s ->
                all * stepsTo(run, s.step().value(), s.step().value() + 1);
            case AuditUnit.Segment s ->
                all * stepsTo(run, s.steps().firstStep(), s.steps().endStep());
        };
    }

    private static long stepsTo(CommittedRun run, long firstStep, long endStep) throws ReplayException {
        try {
            return endStep - run.walkStart(new StateIndex(firstStep)).value();
        } catch (StoreDamage e) {
            throw new ReplayException(e.reason(), e);
        }
    }

    /** 6 for each weight of a product, and 6 · layers · width · context. */
    private static double perToken(ModelConfig model, int context) {
        double weights = 0;
        boolean mlp = model.family() == Family.MLP;
        for (Parameter p : ParameterManifest.of(model).parameters()) {
            boolean table = p.name().endsWith("wpe.weight")
                    || (mlp && p.name().endsWith("embed.weight"))
                    || (!model.tied()
                            && (p.name().endsWith("wte.weight") || p.name().endsWith("embed_tokens.weight")));
            if (p.decays() && !table) {
                weights += p.size();
            }
        }
        if (mlp) {
            // A row of the products is a whole sequence.
            return PER_WEIGHT * weights / context;
        }
        return PER_WEIGHT * weights + (double) PER_WEIGHT * model.layers() * model.width() * context;
    }
}
