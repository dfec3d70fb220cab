package org.bitwitness.attestation.monitor;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.note.SignedNote;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;

/**
 * What a monitor remembers between two looks.
 *
 * @param checkpoint the newest that was accepted, with every signature: evidence if the log tells another story later
 * @param verdicts log index to payload digest of every verdict by an accepted auditor
 */
public record MonitorState(SignedNote checkpoint, SortedMap<Long, Sha256> verdicts) {
    private static final int VERSION = 1;
    private static final int MAX_BYTES = 256 << 20;
    private static final int MAX_VERDICTS = 1_000_000;

    public MonitorState {
        verdicts = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(verdicts));
    }

    /** JSON as it lies on disk. */
    public byte[] toBytes() {
        List<Json> list = new ArrayList<>();
        verdicts.forEach((index, payload) -> list.add(
                Json.object().put("index", index).put("payload", payload.hex()).build()));
        return Json.object()
                .put("version", VERSION)
                .put("checkpoint", checkpoint.toString())
                .put("verdicts", new Json.Arr(list))
                .build()
                .toText()
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Reads {@link #toBytes}. */
    public static MonitorState parse(byte[] json) throws AttestationException {
        try {
            StrictJson reader = StrictJson.with(StrictJson.Limits.DEFAULT.withMaxBytes(MAX_BYTES));
            JsonFields fields = JsonFields.of("state", reader.readObject(json, "state"));
            fields.integer("version", VERSION, VERSION);
            SignedNote note = SignedNote.parse(fields.text("checkpoint").getBytes(StandardCharsets.UTF_8));
            SortedMap<Long, Sha256> verdicts = new TreeMap<>();
            for (JsonFields one : fields.objects("verdicts", MAX_VERDICTS)) {
                verdicts.put(one.integer("index", 0, Long.MAX_VALUE), one.digest("payload"));
                one.end();
            }
            fields.end();
            return new MonitorState(note, verdicts);
        } catch (ProtocolException e) {
            throw AttestationException.of(e);
        }
    }
}
