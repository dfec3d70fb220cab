package org.bitwitness.kernels.op;

import org.bitwitness.kernels.MicroBatch;

/** Checks of what an operator cannot know before it sees the micro-batch; every backend asks for them first. */
final class BatchCheck {
    private BatchCheck() {}

    static void ids(String operator, MicroBatch batch, int rows, int vocab) {
        tokens(operator, batch, rows);
        int[] ids = batch.ids();
        for (int n = 0; n < ids.length; n++) {
            if (ids[n] < 0 || ids[n] >= vocab) {
                throw new IllegalArgumentException(
                        "%s: token %d has id %d; allowed: 0 to %d".formatted(operator, n, ids[n], vocab - 1));
            }
        }
    }

    static void targets(String operator, MicroBatch batch, int rows, int vocab) {
        tokens(operator, batch, rows);
        int[] targets = batch.targets();
        for (int n = 0; n < targets.length; n++) {
            if (targets[n] < MicroBatch.NO_TARGET || targets[n] >= vocab) {
                throw new IllegalArgumentException("%s: target %d is %d; allowed: -1 (no target) and 0 to %d"
                        .formatted(operator, n, targets[n], vocab - 1));
            }
        }
    }

    /** Targets of a micro-batch in which only the last token of a sequence may have one. */
    static void lastTargets(String operator, MicroBatch batch, int vocab) {
        targets(operator, batch, batch.tokens(), vocab);
        int[] targets = batch.targets();
        for (int n = 0; n < targets.length; n++) {
            if (targets[n] != MicroBatch.NO_TARGET && n % batch.length() != batch.length() - 1) {
                throw new IllegalArgumentException(
                        "%s: token %d of sequence %d has target %d; of a row only the last token has one, the others have -1"
                                .formatted(operator, n % batch.length(), n / batch.length(), targets[n]));
            }
        }
    }

    private static void tokens(String operator, MicroBatch batch, int rows) {
        if (batch.tokens() != rows) {
            throw new IllegalArgumentException("%s: the program was built for %d tokens, the micro-batch has %d"
                    .formatted(operator, rows, batch.tokens()));
        }
    }

    static void length(String operator, MicroBatch batch, int context) {
        if (batch.length() > context) {
            throw new IllegalArgumentException("%s: sequences of %d tokens exceed the %d positions of the model"
                    .formatted(operator, batch.length(), context));
        }
    }

    static void shape(String operator, MicroBatch batch, AttentionShape shape) {
        if (batch.sequences() != shape.sequences() || batch.length() != shape.length()) {
            throw new IllegalArgumentException(
                    "%s: the program was built for [%d, %d] tokens, the micro-batch is [%d, %d]"
                            .formatted(operator, shape.sequences(), shape.length(), batch.sequences(), batch.length()));
        }
    }
}
