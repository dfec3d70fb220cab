package org.bitwitness.recorder.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.UpdateRequest;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.PlantedFault.BitPlace;
import org.bitwitness.recorder.RecorderException;
import org.bitwitness.recorder.exchange.ShardPlan;
import org.bitwitness.recorder.exchange.ShardPlan.Segment;
import org.bitwitness.recorder.wire.StateMessages.Held;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shares of a state beside the whole of it. */
class HeldStatesTest {
    private static final int WORKERS = 3;

    @TempDir
    Path folder;

    private final List<Replica> parameters = new ArrayList<>();
    private final List<OptimizerShare> shares = new ArrayList<>();
    private Replica whole;
    private ShardPlan plan;
    private Gradients gradient;

    @BeforeEach
    void share() throws Exception {
        TestRuns.dataset(folder.resolve("data"));
        Descriptor descriptor = TestRuns.run(
                        folder, TestRuns.CONFIG.replace("\"ff\": 48", "\"ff\": 4200"), "run", false)
                .descriptor();
        whole = Replica.initial(descriptor, BackendId.REFERENCE, 1);
        whole.work(Layout.ofCount(WORKERS));
        plan = ShardPlan.of(whole.engine().manifest(), WORKERS);
        gradient = Gradients.zero(whole.engine().manifest());
        for (int i = 0; i < gradient.manifest().count(); i++) {
            Arrays.fill(gradient.tensor(i), 0.25f + i);
        }
        for (int position = 0; position < WORKERS; position++) {
            Replica replica = Replica.withoutMoments(descriptor, BackendId.REFERENCE, 1, whole.scalars());
            for (int i = 0; i < gradient.manifest().count(); i++) {
                float[] from = whole.state().parameter(i);
                System.arraycopy(from, 0, replica.state().parameter(i), 0, from.length);
            }
            parameters.add(replica);
            shares.add(OptimizerShare.empty(replica, WORKERS, position));
        }
    }

    @AfterEach
    void close() {
        whole.close();
        parameters.forEach(Replica::close);
    }

    @Test
    void updatedSharesTogetherAreTheUpdatedWhole() throws Exception {
        updateAll();
        HeldStates own = HeldStates.of(whole, true);
        assertEquals(whole.stateRoot(), own.root());
        own.requireEqual(held(), "after step 0");
    }

    @Test
    void whoHoldsAnotherMomentIsNamedWithTheElements() throws Exception {
        updateAll();
        String name = "v.transformer.h.0.mlp.c_fc.weight";
        shares.forEach(share -> share.flip(new BitPlace(name, 70_000, 3)));
        assertRefused("worker 1 has elements 65536 to 131071 of " + name);
    }

    @Test
    void whoHoldsOtherParametersOrTooFewMomentsIsNamed() throws Exception {
        updateAll();
        parameters.get(2).state().parameter(0)[5] += 1;
        assertRefused("worker 2 has parameters with root");
        parameters.get(2).state().parameter(0)[5] -= 1;
        List<Held> held = new ArrayList<>(held());
        held.set(
                0,
                new Held(
                        held.get(0).root(),
                        held.get(0).moments().subList(1, held.get(0).moments().size())));
        RecorderException e = assertThrows(
                RecorderException.class, () -> HeldStates.of(whole, true).requireEqual(held, "after step 0"));
        assertTrue(String.valueOf(e.getMessage()).contains("worker 0 should hold"), e::toString);
    }

    /** Whoever asks first can still leave all as it is. */
    @Test
    void askingWhetherAShareCanBeUpdatedChangesNothing() {
        Segment last = plan.ofOwner(2).getLast();
        gradient.tensor(last.parameter())[last.offset() + 1] = Float.MAX_VALUE;
        List<Held> before = held();
        List<Boolean> said = new ArrayList<>();
        for (int position = 0; position < WORKERS; position++) {
            said.add(shares.get(position).updatable(sums(position), request()));
        }
        assertEquals(List.of(true, true, false), said);
        assertEquals(before, held());
        assertFalse(whole.update(gradient, request()), "what one share cannot take, the whole cannot");
    }

    private void updateAll() {
        assertTrue(whole.update(gradient, request()));
        for (int position = 0; position < WORKERS; position++) {
            List<float[]> sums = sums(position);
            assertTrue(shares.get(position).updatable(sums, request()));
            shares.get(position).update(sums, request());
            for (Segment segment : plan.ofOwner(position)) {
                for (Replica other : parameters) {
                    System.arraycopy(
                            sums.get(segment.place()),
                            0,
                            other.state().parameter(segment.parameter()),
                            segment.offset(),
                            segment.length());
                }
            }
        }
    }

    private List<float[]> sums(int position) {
        return plan.ofOwner(position).stream()
                .map(s -> Arrays.copyOfRange(gradient.tensor(s.parameter()), s.offset(), s.offset() + s.length()))
                .toList();
    }

    private List<Held> held() {
        return shares.stream().map(OptimizerShare::held).toList();
    }

    private UpdateRequest request() {
        return new UpdateRequest(0.01, 1f, whole.descriptor().optimizer());
    }

    private void assertRefused(String part) {
        RecorderException e = assertThrows(
                RecorderException.class, () -> HeldStates.of(whole, true).requireEqual(held(), "after step 0"));
        assertTrue(String.valueOf(e.getMessage()).contains(part), e::toString);
    }
}
