package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.bitwitness.protocol.tensor.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** AdamW again and again on one state: each update is all or nothing, whatever happened before it. */
class RepeatedUpdateTest {
    private static final int LENGTH = 70_001;
    private static final AdamWConstants CONSTANTS =
            new AdamWConstants(0.9f, 0.95f, 0.1f, 0.05f, 1e-8f, 1e-3f, 1.5f, 0.9999f, 0.5f);

    /** Three parameters with their own arrays; the same for the same seed. */
    private static final class State {
        private final List<AdamWSlot> slots;

        State(long seed) {
            SplittableRandom random = new SplittableRandom(seed);
            slots = List.of(slot(random, LENGTH, true), slot(random, 3, false), slot(random, 1, true));
        }

        private static AdamWSlot slot(SplittableRandom random, int length, boolean decays) {
            return new AdamWSlot(
                    tensor("w", random, length),
                    tensor("m", random, length),
                    Tensor.of("v", Shape.of(length), new float[length]),
                    tensor("g", random, length),
                    decays);
        }

        private static Tensor tensor(String name, SplittableRandom random, int length) {
            float[] data = new float[length];
            for (int i = 0; i < length; i++) {
                data[i] = (float) random.nextGaussian();
            }
            return Tensor.of(name, Shape.of(length), data);
        }

        void drawGradient(long seed) {
            SplittableRandom random = new SplittableRandom(seed);
            for (AdamWSlot slot : slots) {
                float[] g = slot.gradient().data();
                for (int i = 0; i < g.length; i++) {
                    g[i] = (float) random.nextGaussian();
                }
            }
        }

        float[] gradient() {
            return slots.getFirst().gradient().data();
        }

        float[] parameter() {
            return slots.getFirst().parameter().data();
        }

        void assertSameBits(State other) {
            for (int s = 0; s < slots.size(); s++) {
                for (int t = 0; t < 3; t++) {
                    assertEquals(Optional.empty(), Bits.firstDifference(array(s, t), other.array(s, t)));
                }
            }
        }

        private float[] array(int slot, int tensor) {
            AdamWSlot s = slots.get(slot);
            return switch (tensor) {
                case 0 -> s.parameter().data();
                case 1 -> s.m().data();
                default -> s.v().data();
            };
        }
    }

    @ParameterizedTest(name = "{0} threads")
    @ValueSource(ints = {1, 2})
    void twentyUpdatesGiveTheOraclesBits(int threads) {
        State expected = new State(1);
        State computed = new State(1);
        try (Backend oracle = Backends.create(BackendId.REFERENCE, 1);
                Backend fast = Backends.create(BackendId.VECTOR, threads)) {
            for (int step = 0; step < 20; step++) {
                expected.drawGradient(step);
                computed.drawGradient(step);
                assertTrue(oracle.adamW(expected.slots, CONSTANTS));
                assertTrue(fast.adamW(computed.slots, CONSTANTS));
            }
        }
        expected.assertSameBits(computed);
    }

    @ParameterizedTest(name = "gradient {0}")
    @ValueSource(floats = {1e25f, 3e38f, Float.POSITIVE_INFINITY, Float.NaN})
    void anUpdateThatOverflowsAfterGoodOnesLeavesTheStateUntouched(float wild) {
        State state = new State(2);
        State same = new State(2);
        try (Backend fast = Backends.create(BackendId.VECTOR, 2)) {
            for (int step = 0; step < 3; step++) {
                assertTrue(fast.adamW(state.slots, CONSTANTS));
                assertTrue(fast.adamW(same.slots, CONSTANTS));
            }
            // The last element: everything before it would have been written by then.
            state.gradient()[LENGTH - 1] = wild;
            assertFalse(fast.adamW(state.slots, CONSTANTS));
            state.assertSameBits(same);
            state.gradient()[LENGTH - 1] = same.gradient()[LENGTH - 1];
            assertTrue(fast.adamW(state.slots, CONSTANTS));
            assertTrue(fast.adamW(same.slots, CONSTANTS));
            state.assertSameBits(same);
        }
    }

    /** Large but finite results are no reason to refuse. */
    @Test
    void hugeFiniteNumbersAreUpdatedLikeTheOracleDoes() {
        State expected = new State(3);
        State computed = new State(3);
        try (Backend oracle = Backends.create(BackendId.REFERENCE, 1);
                Backend fast = Backends.create(BackendId.VECTOR, 2)) {
            for (State state : List.of(expected, computed)) {
                state.gradient()[7] = 1e18f;
                state.parameter()[9] = 3e38f;
            }
            for (int step = 0; step < 3; step++) {
                assertEquals(oracle.adamW(expected.slots, CONSTANTS), fast.adamW(computed.slots, CONSTANTS));
                expected.assertSameBits(computed);
            }
        }
    }

    /** Whoever owns the arrays may change them between updates, for example to go on from a checkpoint. */
    @Test
    void aStateThatBecameInfiniteBetweenUpdatesIsLeftUntouched() {
        State state = new State(4);
        State same = new State(4);
        try (Backend fast = Backends.create(BackendId.VECTOR, 1)) {
            assertTrue(fast.adamW(state.slots, CONSTANTS));
            assertTrue(fast.adamW(same.slots, CONSTANTS));
            state.parameter()[LENGTH - 1] = Float.POSITIVE_INFINITY;
            same.parameter()[LENGTH - 1] = Float.POSITIVE_INFINITY;
            assertFalse(fast.adamW(state.slots, CONSTANTS));
            state.assertSameBits(same);
        }
    }

    @ParameterizedTest(name = "{0} threads")
    @ValueSource(ints = {1, 2})
    void updatesThatKnowTheMagnitudesGiveTheOraclesBits(int threads) {
        State expected = new State(6);
        State computed = new State(6);
        StateBounds bounds = new StateBounds();
        try (Backend oracle = Backends.create(BackendId.REFERENCE, 1);
                Backend fast = Backends.create(BackendId.VECTOR, threads)) {
            for (int step = 0; step < 20; step++) {
                expected.drawGradient(step);
                computed.drawGradient(step);
                assertTrue(oracle.adamW(expected.slots, CONSTANTS));
                assertTrue(fast.adamW(computed.slots, CONSTANTS, norm(fast, computed), bounds));
                assertBounded(bounds, computed);
            }
        }
        expected.assertSameBits(computed);
    }

    private static double norm(Backend backend, State state) {
        return Math.sqrt(backend.sumOfSquares(
                state.slots.stream().map(AdamWSlot::gradient).toList()));
    }

    private static void assertBounded(StateBounds bounds, State state) {
        assertEquals(state.slots.size(), bounds.bySlot().size());
        for (int s = 0; s < state.slots.size(); s++) {
            Magnitudes known = bounds.bySlot().get(s);
            double[] most = {known.w(), known.m(), known.v()};
            for (int t = 0; t < 3; t++) {
                for (float x : state.array(s, t)) {
                    assertTrue(Math.abs(x) <= most[t], "%s is above its bound %s".formatted(x, most[t]));
                }
            }
        }
    }

    /** What is known proves nothing here, so the numbers themselves are looked at. */
    @ParameterizedTest(name = "gradient {0}")
    @ValueSource(floats = {1e25f, 3e38f, Float.POSITIVE_INFINITY, Float.NaN})
    void anUpdateThatOverflowsLeavesStateAndBoundsAsTheyWere(float wild) {
        State state = new State(7);
        State same = new State(7);
        StateBounds bounds = new StateBounds();
        try (Backend fast = Backends.create(BackendId.VECTOR, 2)) {
            assertTrue(fast.adamW(state.slots, CONSTANTS, Double.POSITIVE_INFINITY, bounds));
            assertTrue(fast.adamW(same.slots, CONSTANTS));
            state.gradient()[LENGTH - 1] = wild;
            List<Magnitudes> before = bounds.bySlot();
            assertFalse(fast.adamW(state.slots, CONSTANTS, wild, bounds));
            assertFalse(fast.adamW(state.slots, CONSTANTS, Double.POSITIVE_INFINITY, bounds));
            state.assertSameBits(same);
            assertEquals(before, bounds.bySlot());
            bounds.forget();
            assertFalse(fast.adamW(state.slots, CONSTANTS, 0, bounds), "a bound of the gradient alone proves nothing");
            state.assertSameBits(same);
        }
    }

    @Test
    void aStateChangedBehindItsBoundsOverflowsAloudAndAfterForgettingIsInvalid() {
        State state = new State(8);
        State same = new State(8);
        StateBounds bounds = new StateBounds();
        try (Backend fast = Backends.create(BackendId.VECTOR, 1)) {
            for (State each : List.of(state, same)) {
                assertTrue(fast.adamW(each.slots, CONSTANTS, Double.POSITIVE_INFINITY, bounds));
                each.parameter()[LENGTH - 1] = Float.POSITIVE_INFINITY;
            }
            bounds.forget();
            assertFalse(fast.adamW(state.slots, CONSTANTS, 100, bounds));
            state.assertSameBits(same);
            assertTrue(fast.adamW(new State(8).slots, CONSTANTS, Double.POSITIVE_INFINITY, bounds));
            IllegalStateException e =
                    assertThrows(IllegalStateException.class, () -> fast.adamW(state.slots, CONSTANTS, 100, bounds));
            assertTrue(String.valueOf(e.getMessage()).contains("something else changed its array"), e.getMessage());
        }
    }

    @Test
    void aBoundGrownTooLooseIsMeasuredAnew() {
        State state = new State(9);
        StateBounds bounds = new StateBounds();
        try (Backend fast = Backends.create(BackendId.VECTOR, 1)) {
            Magnitudes loose = new Magnitudes(0x1p119, 0x1p119, 0x1p119);
            bounds.set(List.of(loose, loose, loose));
            assertTrue(fast.adamW(state.slots, CONSTANTS, 100, bounds));
        }
        assertBounded(bounds, state);
        assertTrue(bounds.bySlot().getFirst().v() < 10, () -> bounds.bySlot().toString());
    }

    @Test
    void theSameParameterWithOtherMomentsIsAnotherState() {
        State state = new State(5);
        try (Backend fast = Backends.create(BackendId.VECTOR, 1)) {
            assertTrue(fast.adamW(state.slots, CONSTANTS));
            AdamWSlot first = state.slots.getFirst();
            float[] infinite = new float[LENGTH];
            infinite[LENGTH - 1] = Float.POSITIVE_INFINITY;
            float[] before = first.parameter().data().clone();
            Tensor v = Tensor.of("v", Shape.of(LENGTH), infinite);
            AdamWSlot other = new AdamWSlot(first.parameter(), first.m(), v, first.gradient(), true);
            assertFalse(fast.adamW(List.of(other), CONSTANTS));
            assertArrayEquals(before, first.parameter().data());
        }
    }
}
