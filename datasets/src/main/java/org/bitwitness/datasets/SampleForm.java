package org.bitwitness.datasets;

import org.bitwitness.protocol.record.DataSpec;
import org.bitwitness.protocol.record.RowSpec;

/**
 * What a sample is: sample i of a shard reads its ids [i·stride, i·stride + T], the last of them only as a target.
 *
 * @param length T, ids that are read
 * @param rows where samples begin and which ids have a target
 */
public record SampleForm(int length, RowSpec rows) {
    public SampleForm {
        if (length < 1) {
            throw new IllegalArgumentException("a sample has at least one id, got " + length);
        }
    }

    /** Samples that run on, every id with its target. */
    public static SampleForm running(int length) {
        return new SampleForm(length, RowSpec.running(length));
    }

    /** What a descriptor says. */
    public static SampleForm of(DataSpec data) {
        return new SampleForm(data.contextLength(), data.rows());
    }

    /** Samples in a shard of so many tokens. */
    long count(long tokens) {
        return tokens <= length ? 0 : (tokens - 1 - length) / rows.stride() + 1;
    }

    /** The first token of a sample of a shard. */
    long firstToken(long sample) {
        return Math.multiplyExact(sample, (long) rows.stride());
    }
}
