package org.bitwitness.kernels;

/**
 * What changes from one execution of a step program to the next. Everything else is in the operators.
 *
 * @param batch the tokens of this micro-batch
 * @param dropoutSeed key of the dropout generator: low and high word are Philox's k0 and k1
 * @param updateCount t of the profile: the update count after this step, from 1; Philox's c1
 * @param worker position of the worker in the layout list, from 0 (not its id)
 * @param microBatch position in the worker's list, from 0
 * @param invCount (float)(1.0 / counted targets)
 */
public record OperatorContext(
        MicroBatch batch, long dropoutSeed, long updateCount, int worker, int microBatch, float invCount) {
    public OperatorContext {
        if (updateCount < 0 || updateCount > 0xffff_ffffL) {
            throw new IllegalArgumentException("updateCount is a 32-bit Philox counter, got " + updateCount);
        }
        if (worker < 0 || worker > 0xffff || microBatch < 0 || microBatch > 0xffff) {
            throw new IllegalArgumentException(
                    "worker and micro-batch positions are 0 to 65535, got %d and %d".formatted(worker, microBatch));
        }
    }

    /** Philox's c2. */
    public int philoxWorkerWord() {
        return worker << 16 | microBatch;
    }
}
