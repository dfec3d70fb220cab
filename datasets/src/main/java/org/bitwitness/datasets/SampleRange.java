package org.bitwitness.datasets;

/**
 * The samples whose ids, the last target among them, all belong to documents of one part. Documents stand by the bytes of
 * their names, so those that begin alike are neighbours and their samples one range.
 *
 * @param first number of the first one
 * @param count how many; 0 where no sample lies in the part alone
 */
record SampleRange(long first, long count) {

    /** @param documents what the names of the part's documents begin with */
    static SampleRange of(DatasetManifest manifest, String documents, int contextLength) {
        long before = 0;
        long first = 0;
        long count = 0;
        for (ShardEntry shard : manifest.shards()) {
            long firstToken = Long.MAX_VALUE;
            long endToken = 0;
            for (DocumentEntry document : shard.documents()) {
                if (document.name().startsWith(documents)) {
                    firstToken = Math.min(firstToken, document.firstToken());
                    endToken = document.firstToken() + document.tokens();
                }
            }
            if (endToken > 0) {
                // Sample i reads the ids from i·T to i·T + T, both included.
                long from = Math.ceilDiv(firstToken, contextLength);
                long end = (endToken - 1) / contextLength;
                if (end > from) {
                    first = count == 0 ? before + from : first;
                    count += end - from;
                }
            }
            before += shard.sampleCount(contextLength);
        }
        return new SampleRange(first, count);
    }
}
