package org.bitwitness.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.bitwitness.kernels.BackendId;
import org.bitwitness.kernels.StepEngine;
import org.bitwitness.kernels.program.DropoutRate;
import org.bitwitness.kernels.program.ModelConfig;
import org.bitwitness.protocol.record.ModelSpec.Family;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers at the same time: each on its engine, answers in order, and nothing is said before all have ended. */
@Timeout(60)
class WorkerEnginesTest {
    private final WorkerEngines two = WorkerEngines.sideBySide(List.of(engine(), engine()));

    @AfterEach
    void close() {
        two.close();
    }

    private static StepEngine engine() {
        DropoutRate none = DropoutRate.NONE;
        ModelConfig model = new ModelConfig(
                Family.GPT2, 16, 8, 8, 1, 1, 1, 8, 32, 1e-5, 10_000, true, new ModelConfig.Dropouts(none, none, none));
        return StepEngine.create(model, BackendId.REFERENCE, 1);
    }

    @Test
    void bothRunAtOnceEachOnItsEngineAndAnswersKeepTheirOrder() {
        CountDownLatch both = new CountDownLatch(2);
        List<StepEngine> used = two.each(List.of(2, 3), (engine, position) -> {
            both.countDown();
            await(both);
            assertSame(two.of(position), engine);
            return engine;
        });
        assertEquals(List.of(two.of(2), two.of(3)), used);
        assertNotEquals(two.of(2), two.of(3));
    }

    @Test
    void aFailureIsSaidAsItIsAndOnlyWhenAllHaveEnded() {
        AtomicInteger ended = new AtomicInteger();
        CountDownLatch failed = new CountDownLatch(1);
        BiFunction<StepEngine, Integer, Integer> task = (_, position) -> {
            if (position == 0) {
                failed.countDown();
                throw new OutOfMemoryError("planted");
            }
            await(failed);
            return ended.incrementAndGet();
        };
        OutOfMemoryError said = assertThrows(OutOfMemoryError.class, () -> two.each(List.of(0, 1), task));
        assertEquals("planted", said.getMessage());
        assertEquals(1, ended.get());
    }

    @Test
    void anInterruptIsKeptUntilAllHaveEnded() {
        AtomicInteger ended = new AtomicInteger();
        Thread caller = Thread.currentThread();
        List<Integer> answers = two.each(List.of(0, 1), (_, position) -> {
            caller.interrupt();
            ended.incrementAndGet();
            return position;
        });
        assertTrue(Thread.interrupted());
        assertEquals(List.of(0, 1), answers);
        assertEquals(2, ended.get());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
