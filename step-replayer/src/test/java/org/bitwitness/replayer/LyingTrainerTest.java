package org.bitwitness.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.protocol.Confirmation;
import org.bitwitness.protocol.EvidenceGrade;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.Phase;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Resolution;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.OptimizerSpec;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.record.ScheduleSpec;
import org.bitwitness.protocol.record.StepRecord;
import org.bitwitness.protocol.record.TracePolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Trainers that lie and then commit to their lie: every root in these recordings is consistent, only the arithmetic or
 * the inputs are not what the descriptor says. {@link HonestRunTest} holds the untouched twin.
 */
class LyingTrainerTest {
    @TempDir
    private Path temp;

    private ReplayReport replay(String unit, TestTrainer.Shape shape, Lie lie) throws Exception {
        Path run = temp.resolve("run-" + Integer.toHexString(unit.hashCode()));
        TestTrainer.train(run, shape, lie);
        return Replays.replay(run, unit, BackendId.VECTOR, 2);
    }

    private FirstDifference diverged(String unit, Lie lie) throws Exception {
        return diverged(replay(unit, TestTrainer.Shape.SMALL, lie));
    }

    private static FirstDifference diverged(ReplayReport report) {
        assertEquals(Verdict.DIVERGED, report.verdict(), () -> report.reason().orElse(""));
        assertEquals(Optional.of(EvidenceGrade.PROVEN), report.grade());
        assertEquals(Optional.of(new Confirmation("reference", Confirmation.Result.SAME)), report.confirmedBy());
        return report.firstDifference().orElseThrow();
    }

    private static void assertPlace(FirstDifference where, long step, int worker, Phase phase, String operator) {
        assertEquals(Optional.of(new StepIndex(step)), where.step());
        assertEquals(Optional.of(new WorkerId(worker)), where.worker());
        assertEquals(Optional.of(phase), where.phase());
        assertEquals(Optional.of(operator), where.operator());
        assertEquals(Resolution.TENSOR, where.resolution());
        assertTrue(where.expectedBits().isEmpty(), "a recording without gradients holds no bits of them");
    }

    /** Row 2. */
    @Test
    void namesStepAndWorkerOfNoiseThatTheStateAbsorbs() throws Exception {
        FirstDifference where = diverged("STEP(3)", new Lie() {
            @Override
            public void beforeEmit(long step, int position, Gradients gradients) {
                if (step == 3 && position == 1) {
                    float[] data = gradients.tensor("transformer.ln_f.weight");
                    data[5] = Math.nextUp(data[5]);
                }
            }
        });
        assertPlace(where, 3, 1, Phase.EMIT, "emit");
        assertEquals(Optional.of("transformer.ln_f.weight"), where.tensor());
    }

    /** Row 26: sign flip and scale. */
    @Test
    void namesTheWorkerThatFlipsOrScalesItsGradient() throws Exception {
        for (float factor : new float[] {-1f, 10f, 0f}) {
            Lie lie = new Lie() {
                @Override
                public void beforeEmit(long step, int position, Gradients gradients) {
                    for (int i = 0;
                            step == 2
                                    && position == 2
                                    && i < gradients.manifest().count();
                            i++) {
                        float[] data = gradients.tensor(i);
                        for (int e = 0; e < data.length; e++) {
                            data[e] *= factor;
                        }
                    }
                }
            };
            Path run = temp.resolve("factor" + factor);
            TestTrainer.train(run, TestTrainer.Shape.SMALL, lie);
            assertPlace(diverged(Replays.replay(run, "STEP(2)", BackendId.VECTOR, 1)), 2, 2, Phase.EMIT, "emit");
            assertPlace(diverged(Replays.replay(run, "GRADIENT(2,2)", BackendId.VECTOR, 1)), 2, 2, Phase.EMIT, "emit");
            assertEquals(
                    Verdict.REPRODUCED,
                    Replays.replay(run, "GRADIENT(2,1)", BackendId.VECTOR, 1).verdict());
        }
    }

    /** Row 3: weights and moments restored, the dropout counter not. */
    @Test
    void namesTheRandomNumbersWhenTheCounterWasNotRestored() throws Exception {
        FirstDifference where = diverged("STEP(4)", new Lie() {
            @Override
            public long rngCounterUsed(long step, long honest) {
                return step >= 4 ? honest - 4 : honest;
            }
        });
        assertEquals(Optional.of(Phase.FORWARD), where.phase());
        assertEquals(Optional.of(new StepIndex(4)), where.step());
        assertTrue(where.note().orElse("").contains("RNG counter"), where.note().orElse(""));
    }

    /** Row 3, the counter recorded as it was used. */
    @Test
    void namesTheRecordedRngCounterBeforeAnyArithmetic() throws Exception {
        Lie lie = new Lie() {
            @Override
            public Scalars scalars(Scalars s) {
                return s.stateIndex().value() < 4
                        ? s
                        : new Scalars(
                                s.stateIndex(),
                                s.updateCount(),
                                s.schedulePosition(),
                                s.rngCounter() - 4,
                                s.epoch(),
                                s.samplePosition(),
                                s.lossScale(),
                                s.layoutDigest());
            }
        };
        Path run = temp.resolve("counter");
        TestTrainer.train(run, TestTrainer.Shape.SMALL, lie);
        FirstDifference after = diverged(Replays.replay(run, "STEP(4)", BackendId.VECTOR, 1));
        assertEquals(Optional.of("scalars.rngCounter"), after.tensor());
        assertEquals(Optional.of("0000000000000001"), after.expectedBits());
        assertEquals(Optional.of("0000000000000005"), after.computedBits());
        FirstDifference before = diverged(Replays.replay(run, "STEP(3)", BackendId.VECTOR, 1));
        assertEquals(Optional.of("scalars.rngCounter"), before.tensor());
        assertEquals(Optional.of(Phase.UPDATE), before.phase());
    }

    /** Rows 4, 5 and 6: another state at a boundary; 4 and 5 are larger edits of the same kind. */
    @Test
    void namesTheElementOfABoundaryStateThatWasReplaced() throws Exception {
        Path run = temp.resolve("boundary");
        TestTrainer.train(run, TestTrainer.Shape.SMALL, new Lie() {
            @Override
            public void afterUpdate(long step, HostState state) {
                if (step == 3) {
                    float[] data = state.parameter(
                            state.manifest().get("transformer.wte.weight").index());
                    data[40] += 1e-2f * 0.02f;
                }
            }
        });
        FirstDifference before = diverged(Replays.replay(run, "UPDATE(3)", BackendId.VECTOR, 2));
        assertEquals(Resolution.ELEMENT, before.resolution());
        assertEquals(Optional.of("transformer.wte.weight"), before.tensor());
        assertEquals(40, before.index().orElseThrow());
        assertTrue(before.expectedBits().isPresent() && before.computedBits().isPresent());
        assertEquals(
                Verdict.REPRODUCED,
                Replays.replay(run, "STEP(4)", BackendId.VECTOR, 2).verdict());
    }

    /** Row 4: the state of a run with another seed. */
    @Test
    void findsASpliceOnBothSides() throws Exception {
        Path run = temp.resolve("splice");
        TestTrainer.train(run, TestTrainer.Shape.SMALL, new Lie() {
            private boolean spliced;

            @Override
            public void afterUpdate(long step, HostState state) {
                if (step == 3 && !spliced) {
                    spliced = true;
                    for (int i = 0; i < state.manifest().count(); i++) {
                        reverse(state.parameter(i));
                    }
                }
            }

            @Override
            public StepRecord record(StepRecord honest) {
                return honest;
            }
        });
        assertEquals(
                Optional.of(new StepIndex(3)),
                diverged(Replays.replay(run, "STEP(3)", BackendId.VECTOR, 2)).step());
        FirstDifference inSegment = diverged(Replays.replay(run, "SEGMENT(2,6)", BackendId.VECTOR, 2));
        assertEquals(Optional.of(new StepIndex(3)), inSegment.step());
        assertEquals(Optional.of(Phase.UPDATE), inSegment.phase());
    }

    private static void reverse(float[] data) {
        for (int i = 0, j = data.length - 1; i < j; i++, j--) {
            float kept = data[i];
            data[i] = data[j];
            data[j] = kept;
        }
    }

    /** Row 9. */
    @Test
    void namesTheMicroBatchesThatWereSwapped() throws Exception {
        FirstDifference where = diverged("STEP(1)", new Lie() {
            private List<Long> first = List.of();

            @Override
            public List<Long> samples(long step, int position, int microBatch, List<Long> honest) {
                if (step != 1 || position != 1) {
                    return honest;
                }
                if (microBatch == 0) {
                    first = honest;
                    return List.of(honest.get(1), honest.get(0));
                }
                return first;
            }
        });
        assertEquals(Optional.of(new StepIndex(1)), where.step());
        assertEquals(Optional.of(new WorkerId(1)), where.worker());
        assertEquals(0, where.microBatch().orElseThrow());
        assertEquals(Optional.of(Phase.DATA), where.phase());
    }

    /** Row 10: one token id that the dataset does not have. */
    @Test
    void namesTheMicroBatchWithAChangedToken() throws Exception {
        FirstDifference where = diverged("GRADIENT(2,0)", new Lie() {
            @Override
            public void tokens(long step, int position, int microBatch, int[][] ids) {
                if (step == 2 && position == 0 && microBatch == 1) {
                    ids[1][3] ^= 1;
                }
            }
        });
        assertEquals(Optional.of(Phase.DATA), where.phase());
        assertEquals(1, where.microBatch().orElseThrow());
    }

    /** Row 15. */
    @Test
    void namesTheMicroBatchWithACovertRow() throws Exception {
        FirstDifference where = diverged("STEP(2)", new Lie() {
            @Override
            public List<Long> samples(long step, int position, int microBatch, List<Long> honest) {
                if (step != 2 || position != 2 || microBatch != 1) {
                    return honest;
                }
                List<Long> more = new ArrayList<>(honest);
                more.add(0L);
                return more;
            }
        });
        assertEquals(Optional.of(new WorkerId(2)), where.worker());
        assertEquals(1, where.microBatch().orElseThrow());
    }

    /** Row 10: one bit of a learning rate. */
    @Test
    void namesALearningRateThatIsOneBitOff() throws Exception {
        FirstDifference where = diverged("UPDATE(3)", new Lie() {
            @Override
            public double learningRate(long step, double honest) {
                return step == 3 ? Math.nextUp(honest) : honest;
            }
        });
        assertEquals(Optional.of("learningRate"), where.tensor());
        assertTrue(where.expectedBits().isPresent() && where.computedBits().isPresent());
    }

    /** Row 12. */
    @Test
    void namesTheElementOfStolenInitialWeights() throws Exception {
        FirstDifference where = diverged("INIT", new Lie() {
            @Override
            public void initial(HostState state) {
                state.parameter(state.manifest().get("transformer.wpe.weight").index())[7] = 0.5f;
            }
        });
        assertEquals(Optional.of("transformer.wpe.weight"), where.tensor());
        assertEquals(7, where.index().orElseThrow());
        assertEquals(Optional.of("3f000000"), where.expectedBits());
    }

    /** Row 13. */
    @Test
    void namesTheStepAfterWhichAnotherOneWasHidden() throws Exception {
        Path run = temp.resolve("hidden");
        TestTrainer.train(run, TestTrainer.Shape.SMALL, new Lie() {
            @Override
            public int hiddenStepsAfter(long step) {
                return step == 2 ? 1 : 0;
            }
        });
        FirstDifference where = diverged(Replays.replay(run, "SEGMENT(2,4)", BackendId.VECTOR, 2));
        assertEquals(Optional.of(new StepIndex(2)), where.step());
        assertEquals(Optional.of(Phase.UPDATE), where.phase());
        FirstDifference onTheWay = diverged(Replays.replay(run, "STEP(3)", BackendId.VECTOR, 2));
        assertEquals(Optional.of(new StepIndex(2)), onTheWay.step());
    }

    /** Row 20: the published schedule is not the one that was trained with. */
    @Test
    void namesTheLearningRateOfAnEditedSchedule() throws Exception {
        FirstDifference where = diverged("STEP(4)", new Lie() {
            @Override
            public Descriptor published(Descriptor d) {
                ScheduleSpec s = d.schedule();
                return with(
                        d, new ScheduleSpec(s.kind(), s.base(), s.min(), s.warmup() + 1, s.steps(), 0), d.optimizer());
            }
        });
        assertEquals(Optional.of("learningRate"), where.tensor());
    }

    /** Row 20: nor is the optimizer. */
    @Test
    void namesTheUpdateOfAnEditedOptimizer() throws Exception {
        FirstDifference where = diverged("STEP(2)", new Lie() {
            @Override
            public Descriptor published(Descriptor d) {
                OptimizerSpec.AdamW o = (OptimizerSpec.AdamW) d.optimizer();
                return with(
                        d,
                        d.schedule(),
                        new OptimizerSpec.AdamW(o.beta1(), 0.951, o.eps(), o.weightDecay(), o.maxNorm()));
            }
        });
        assertEquals(Optional.of(Phase.UPDATE), where.phase());
        assertEquals(Optional.of(new StepIndex(2)), where.step());
    }

    private static Descriptor with(Descriptor d, ScheduleSpec schedule, OptimizerSpec optimizer) {
        return new Descriptor(
                d.profile(),
                d.seed(),
                d.model(),
                optimizer,
                schedule,
                d.dropout(),
                d.data(),
                d.tokenizer(),
                d.initial(),
                d.aggregation(),
                d.layout(),
                d.trace(),
                d.storage());
    }

    /** Row 21. */
    @Test
    void namesTheReductionThatLeavesAWorkersTensorOut() throws Exception {
        FirstDifference where = diverged("REDUCE(3)", new Lie() {
            @Override
            public List<Gradients> handOff(long step, List<Gradients> honest) {
                if (step != 3) {
                    return honest;
                }
                List<Gradients> changed = new ArrayList<>(honest);
                Gradients copy = honest.get(1).copy();
                java.util.Arrays.fill(copy.tensor(0), 0f);
                changed.set(1, copy);
                return changed;
            }
        });
        assertEquals(Optional.of(Phase.REDUCE), where.phase());
        assertEquals(Optional.of(new StepIndex(3)), where.step());
    }

    /** Row 10: one bit of the recorded norm, which enters nothing but the record. */
    @Test
    void namesANormThatIsOneBitOff() throws Exception {
        FirstDifference where = diverged("REDUCE(3)", new Lie() {
            @Override
            public StepRecord record(StepRecord r) {
                return r.step().value() != 3 ? r : withNorm(r, Math.nextUp(r.norm()));
            }
        });
        assertEquals(Optional.of("norm"), where.tensor());
        assertTrue(where.expectedBits().isPresent());
    }

    private static StepRecord withNorm(StepRecord r, double norm) {
        return new StepRecord(
                r.runId(),
                r.step(),
                r.valid(),
                r.stateRootBefore(),
                r.stateRootAfter(),
                r.layout(),
                r.reduction(),
                r.averaging(),
                r.targetCount(),
                r.learningRate(),
                r.workers(),
                r.combinedRoot(),
                r.exactExponentsRoot(),
                norm,
                r.clip(),
                r.loss(),
                r.detectorDigest());
    }

    /** Row 1 under the lie that the edited weights are what was committed. */
    @Test
    void findsReleasedWeightsThatAreNotTheFinalState() throws Exception {
        FirstDifference where = diverged("FINAL", new Lie() {
            @Override
            public void released(HostState copy) {
                copy.parameter(0)[3] += 1e-6f;
            }
        });
        assertTrue(
                where.note().orElse("").contains("model.safetensors"),
                where.note().orElse(""));
    }

    @Test
    void goesNoFinerThanTheWorkerWhenOnlyRootsAreRecorded() throws Exception {
        ReplayReport report = replay("STEP(2)", TestTrainer.Shape.SMALL.with(TracePolicy.ROOTS), new Lie() {
            @Override
            public void beforeEmit(long step, int position, Gradients gradients) {
                if (step == 2 && position == 1) {
                    gradients.tensor(0)[0] += 1f;
                }
            }
        });
        FirstDifference where = diverged(report);
        assertEquals(Resolution.WORKER, where.resolution());
        assertTrue(where.operator().isEmpty()
                && where.tensor().isEmpty()
                && where.phase().isEmpty());
    }
}
