package org.bitwitness.cli.log;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bitwitness.attestation.trust.VerifiedCheckpoint;

/** A verified checkpoint for {@code --json}. */
final class LogSummary {
    private LogSummary() {}

    static Map<String, Object> of(VerifiedCheckpoint checkpoint) {
        List<Map<String, Object>> cosignatures = new ArrayList<>();
        checkpoint.cosignatures().forEach((witness, time) -> {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("witness", witness.name());
            one.put("key", witness.key().vkey());
            one.put("time", time);
            cosignatures.add(one);
        });
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("origin", checkpoint.checkpoint().origin());
        document.put("size", checkpoint.checkpoint().size());
        document.put("root", checkpoint.checkpoint().root().hex());
        document.put("cosignatures", cosignatures);
        return document;
    }
}
