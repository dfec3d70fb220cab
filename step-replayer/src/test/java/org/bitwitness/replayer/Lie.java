package org.bitwitness.replayer;

import java.util.List;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.Economy;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.record.StepRecord;

/**
 * What a lying trainer does otherwise. Every method gets the honest value and returns what is used instead; all roots
 * are made over the lie, so nothing but a replay shows it.
 */
public interface Lie {
    /** Trains as the descriptor says. */
    Lie NONE = new Lie() {};

    /** Changes state 0 after it was drawn. */
    default void initial(HostState state) {}

    /** The descriptor that is published; training goes on with the honest one. */
    default Descriptor published(Descriptor honest) {
        return honest;
    }

    /** The dropout counter the arithmetic uses; the recorded scalars stay honest. */
    default long rngCounterUsed(long step, long honest) {
        return honest;
    }

    /** The learning rate used and recorded. */
    default double learningRate(long step, double honest) {
        return honest;
    }

    /** The samples read and recorded. */
    default List<Long> samples(long step, int position, int microBatch, List<Long> honest) {
        return honest;
    }

    /** Changes the ids that a worker reads; what it read is recorded. */
    default void tokens(long step, int position, int microBatch, int[][] ids) {}

    /** Computes with another backend. */
    default Backend backend(Backend honest) {
        return honest;
    }

    /** Computes with less memory. */
    default Economy economy() {
        return Economy.NONE;
    }

    /** Changes a worker's gradients before its trace ends. */
    default void beforeEmit(long step, int position, Gradients gradients) {}

    /** Changes what the combination gets; the workers' roots stay honest. */
    default List<Gradients> handOff(long step, List<Gradients> honest) {
        return honest;
    }

    /** Steps trained and not recorded, after this one. */
    default int hiddenStepsAfter(long step) {
        return 0;
    }

    /** The combined gradient that is kept in the update log; the record's root stays honest. */
    default Gradients keptUpdate(long step, Gradients honest) {
        return honest;
    }

    /** Changes the state after a step. */
    default void afterUpdate(long step, HostState state) {}

    /** Scalars recorded after a step; training goes on with the honest ones. */
    default Scalars scalars(Scalars honest) {
        return honest;
    }

    /** The record that is written. */
    default StepRecord record(StepRecord honest) {
        return honest;
    }

    /** Changes the weights that are released. */
    default void released(HostState copy) {}
}
