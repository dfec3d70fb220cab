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
    static SampleRange of(DatasetManifest manifest, String documents, SampleForm form) {
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
                // The samples that end in the part, without those that begin before it.
                long from = Math.ceilDiv(firstToken, form.rows().stride());
                long end = form.count(endToken);
                if (end > from) {
                    first = count == 0 ? before + from : first;
                    count += end - from;
                }
            }
            before += shard.sampleCount(form);
        }
        return new SampleRange(first, count);
    }
}
