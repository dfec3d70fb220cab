/**
 * Runs replays as Spark tasks; the only package that may import Spark.
 *
 * <p>A task is one line of text and its answer is another: what a task knows is what that text says, so a key cannot
 * travel with it. In come task texts, out go report texts, which the auditor's
 * process reads, signs and logs.
 */
@NullMarked
package org.bitwitness.scheduler.spark;

import org.jspecify.annotations.NullMarked;
