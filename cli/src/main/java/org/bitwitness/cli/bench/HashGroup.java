package org.bitwitness.cli.bench;

import java.util.List;

/** The root of a tensor, one thread, against OpenSSL's SHA-256 over chunks of the same size. */
final class HashGroup implements BenchGroup {
    @Override
    public String name() {
        return "hash";
    }

    @Override
    public String describes() {
        return "tensorRoot of 128 MiB against openssl speed -evp sha256, chunks of 16 KiB";
    }

    @Override
    public List<BenchRow> measure(int runs) throws Exception {
        return List.of(StateHashing.tensor(runs));
    }
}
