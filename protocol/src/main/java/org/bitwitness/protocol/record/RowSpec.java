package org.bitwitness.protocol.record;

/**
 * Where the rows of a dataset begin, and what is learnt from each. Row i of a shard reads T = contextLength ids from its token
 * {@code i · stride} on; what follows the last of them is its last target.
 *
 * @param stride tokens from the beginning of a row to that of the next
 * @param targets which ids of a row have a target
 */
public record RowSpec(int stride, Targets targets) {
    /** Which ids of a row have a target. */
    public enum Targets {
        /** Each: the id that follows it. */
        EACH("each"),
        /** Only the last: the id that follows the row, its label. */
        LAST("last");

        private final String text;

        Targets(String text) {
            this.text = text;
        }

        /** As in configuration files and descriptors. */
        public String text() {
            return text;
        }
    }

    public RowSpec {
        if (stride < 1 || stride > ModelSpec.MAX_EXTENT) {
            throw new IllegalArgumentException(
                    "data.stride should be from 1 to %d, is %d".formatted(ModelSpec.MAX_EXTENT, stride));
        }
    }

    /** Rows that run on, every id with its target. */
    public static RowSpec running(int contextLength) {
        return new RowSpec(contextLength, Targets.EACH);
    }

    /** Targets of a row of so many ids. */
    public long targetsOf(int contextLength) {
        return switch (targets) {
            case EACH -> contextLength;
            case LAST -> 1;
        };
    }
}
