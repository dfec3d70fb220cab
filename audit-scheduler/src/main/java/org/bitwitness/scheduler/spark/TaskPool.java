package org.bitwitness.scheduler.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * A Spark context of this process with a fixed number of task slots. Every task is a job of its own, so one that fails
 * takes no other with it and answers arrive one by one.
 *
 * <p>Only the plain context is started: no SQL session, web pages, event log or metrics, which would double the start.
 */
public final class TaskPool implements AutoCloseable {
    private static final long RESERVED_BYTES = 16L << 20;

    private final JavaSparkContext spark;

    private TaskPool(JavaSparkContext spark) {
        this.spark = spark;
    }

    /**
     * Starts Spark inside this process.
     *
     * @param slots tasks that may run at the same time, at least 1
     */
    public static TaskPool start(int slots) {
        if (slots < 1) {
            throw new IllegalArgumentException("need at least 1 task slot, got " + slots);
        }
        SparkConf conf = new SparkConf(false)
                .setMaster("local[" + slots + "]")
                .setAppName("bitwitness-audit")
                .set("spark.driver.host", "127.0.0.1")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.ui.enabled", "false")
                .set("spark.ui.showConsoleProgress", "false")
                .set("spark.eventLog.enabled", "false")
                .set("spark.metrics.staticSources.enabled", "false")
                .set("spark.shuffle.service.enabled", "false")
                .set("spark.speculation", "false")
                // Tasks hold nothing in Spark's own regions. Its usual reserve of 300 MiB would refuse a small heap.
                .set("spark.testing.reservedMemory", Long.toString(RESERVED_BYTES))
                // A second try on the same machine would give the same bits or the same failure.
                .set("spark.task.maxFailures", "1")
                .set("spark.executor.heartbeatInterval", "60s")
                .set("spark.network.timeout", "600s");
        return new TaskPool(new JavaSparkContext(conf));
    }

    /**
     * Hands one task to Spark and returns at once.
     *
     * @param function a static function without captured values: what it captured would travel with the task
     */
    public Running submit(String task, TaskFunction function) {
        return new Running(job(task, function).collectAsync());
    }

    /** The data set of one task: exactly what Spark serialises and sends to whatever runs it. */
    JavaRDD<String> job(String task, TaskFunction function) {
        return spark.parallelize(List.of(task), 1).map(function::run);
    }

    @Override
    public void close() {
        spark.close();
    }

    /** A task on its way. */
    public static final class Running {
        private final JavaFutureAction<List<String>> action;

        private Running(JavaFutureAction<List<String>> action) {
            this.action = action;
        }

        /** Waits for the answer; a task that threw is an outcome, not an exception. */
        public TaskOutcome await() throws InterruptedException {
            try {
                return new TaskOutcome.Answered(action.get().get(0));
            } catch (ExecutionException e) {
                return new TaskOutcome.Failed(rootMessage(e));
            }
        }

        /** Spark wraps what a task threw several times and adds its own trace: the innermost message says what was. */
        private static String rootMessage(Throwable thrown) {
            List<String> messages = new ArrayList<>();
            for (Throwable t = thrown; t != null && messages.size() < 16; t = t.getCause()) {
                boolean wrapper = t instanceof ExecutionException || t instanceof SparkException;
                if (!wrapper || t.getCause() == null) {
                    messages.add(firstLine(t));
                }
            }
            return String.join("; ", messages);
        }

        private static String firstLine(Throwable t) {
            String text = t.getMessage() == null
                    ? ""
                    : t.getMessage().lines().findFirst().orElse("");
            return text.isEmpty() ? t.getClass().getSimpleName() : text;
        }
    }
}
