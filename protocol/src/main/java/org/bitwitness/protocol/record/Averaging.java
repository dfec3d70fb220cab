package org.bitwitness.protocol.record;

/** What a summed gradient is divided by. */
public enum Averaging {
    /** By the number of targets of the whole step. */
    TOKENS,
    /** By each worker's own number of targets, then by the number of workers. */
    WORKERS
}
