package org.bitwitness.attestation.monitor;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.note.Checkpoint;
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
 * @param waiting log index of every commitment that nobody drew from and every challenge with units unanswered
 */
public record MonitorState(SignedNote checkpoint, SortedMap<Long, Sha256> verdicts, SortedMap<Long, Waiting> waiting) {
    private static final int VERSION = 2;
    private static final int MAX_BYTES = 256 << 20;
    private static final int MAX_ENTRIES = 1_000_000;

    /** The end of the year 9999. */
    private static final long MAX_EPOCH_SECOND = 253_402_300_799L;

    /**
     * Something that is owed an answer.
     *
     * @param since time of the witnessed checkpoint in which it was first seen; whole seconds
     * @param told true once its deadline has been reported
     */
    public record Waiting(Instant since, boolean told) {}

    public MonitorState {
        verdicts = Collections.unmodifiableSortedMap(new TreeMap<>(verdicts));
        waiting = Collections.unmodifiableSortedMap(new TreeMap<>(waiting));
    }

    /** JSON as it lies on disk. */
    public byte[] toBytes() {
        List<Json> list = new ArrayList<>();
        verdicts.forEach((index, payload) -> list.add(
                Json.object().put("index", index).put("payload", payload.hex()).build()));
        List<Json> owed = new ArrayList<>();
        waiting.forEach((index, one) -> owed.add(Json.object()
                .put("index", index)
                .put("since", one.since().getEpochSecond())
                .put("told", one.told())
                .build()));
        return Json.object()
                .put("version", VERSION)
                .put("checkpoint", checkpoint.toString())
                .put("verdicts", new Json.Arr(list))
                .put("waiting", new Json.Arr(owed))
                .build()
                .toText()
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Reads {@link #toBytes}, also as version 1 wrote it, which knew no deadlines. */
    public static MonitorState parse(byte[] json) throws AttestationException {
        try {
            StrictJson reader = StrictJson.with(StrictJson.Limits.DEFAULT.withMaxBytes(MAX_BYTES));
            JsonFields fields = JsonFields.of("state", reader.readObject(json, "state"));
            long version = fields.integer("version", 1, VERSION);
            SignedNote note = SignedNote.parse(fields.text("checkpoint").getBytes(StandardCharsets.UTF_8));
            // What cannot be compared with a log later is refused now.
            Checkpoint.parse(note.text());
            SortedMap<Long, Sha256> verdicts = new TreeMap<>();
            for (JsonFields one : fields.objects("verdicts", MAX_ENTRIES)) {
                verdicts.put(one.integer("index", 0, Long.MAX_VALUE), one.digest("payload"));
                one.end();
            }
            SortedMap<Long, Waiting> waiting = version < 2 ? new TreeMap<>() : waiting(fields);
            fields.end();
            return new MonitorState(note, verdicts, waiting);
        } catch (ProtocolException e) {
            throw AttestationException.of(e);
        }
    }

    private static SortedMap<Long, Waiting> waiting(JsonFields fields) throws ProtocolException {
        SortedMap<Long, Waiting> waiting = new TreeMap<>();
        for (JsonFields one : fields.objects("waiting", MAX_ENTRIES)) {
            Instant since = Instant.ofEpochSecond(one.integer("since", 0, MAX_EPOCH_SECOND));
            waiting.put(one.integer("index", 0, Long.MAX_VALUE), new Waiting(since, one.bool("told")));
            one.end();
        }
        return waiting;
    }
}
