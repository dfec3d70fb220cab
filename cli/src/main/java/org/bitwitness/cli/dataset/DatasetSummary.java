package org.bitwitness.cli.dataset;

import org.bitwitness.datasets.DatasetManifest;

/** What the dataset commands print about a dataset with {@code --json}. */
record DatasetSummary(
        String name,
        String licence,
        String root,
        String tokenizer,
        int vocab,
        long documents,
        long emptyDocuments,
        long tokens,
        int shards) {
    static DatasetSummary of(DatasetManifest manifest, long emptyDocuments) {
        return new DatasetSummary(
                manifest.name(),
                manifest.licence(),
                manifest.root().hex(),
                manifest.tokenizer().kind(),
                manifest.tokenizer().vocab(),
                manifest.documentCount(),
                emptyDocuments,
                manifest.tokenCount(),
                manifest.shards().size());
    }

    static DatasetSummary of(DatasetManifest manifest) {
        return of(
                manifest,
                manifest.shards().stream()
                        .flatMap(shard -> shard.documents().stream())
                        .filter(document -> document.bytes() == 0)
                        .count());
    }
}
