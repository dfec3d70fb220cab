package org.bitwitness.scheduler.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class TaskPoolTest {

    private static TaskPool pool;

    @BeforeAll
    static void start() {
        pool = TaskPool.start(2);
    }

    @AfterAll
    static void stop() {
        pool.close();
    }

    static String shout(String task) {
        if (task.equals("bad")) {
            throw new IllegalStateException("task 'bad' cannot be shouted");
        }
        return task + "!";
    }

    @Test
    void answersEveryTaskAndKeepsAFailureToItself() throws InterruptedException {
        List<TaskPool.Running> running = new ArrayList<>();
        for (String task : List.of("a", "bad", "c")) {
            running.add(pool.submit(task, TaskPoolTest::shout));
        }
        assertEquals(new TaskOutcome.Answered("a!"), running.get(0).await());
        TaskOutcome.Failed failed =
                assertInstanceOf(TaskOutcome.Failed.class, running.get(1).await());
        assertTrue(failed.reason().contains("task 'bad' cannot be shouted"), failed.reason());
        assertEquals(new TaskOutcome.Answered("c!"), running.get(2).await());
    }
}
