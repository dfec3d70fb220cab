package org.bitwitness.scheduler.spark;

import java.io.Serializable;

/** What a task does: a static function, since everything it captured would travel with the task. */
@FunctionalInterface
public interface TaskFunction extends Serializable {
    String run(String task);
}
