package org.bitwitness.scheduler;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.ReplayReportJson;
import org.bitwitness.protocol.format.StrictJson;

/**
 * What an executor answers. Its text:
 *
 * <pre>
 * {"notes":["STEP(17) goes on at state 12, where an earlier process stood"],"report":{"unit":"STEP(17)",…}}
 * </pre>
 *
 * @param notes what the person at the machine should read
 */
record TaskAnswer(List<String> notes, ReplayReport report) {
    private static final String WHAT = "task answer";
    private static final int MAX_NOTES = 1000;

    TaskAnswer {
        notes = List.copyOf(notes);
    }

    String text() {
        return Json.object()
                .put("notes", Json.texts(notes))
                .put("report", ReplayReportJson.toJson(report))
                .build()
                .toText();
    }

    static TaskAnswer parse(String text) throws ProtocolException {
        JsonFields in = JsonFields.of(WHAT, StrictJson.object(text.getBytes(StandardCharsets.UTF_8), WHAT));
        List<String> notes = in.texts("notes", MAX_NOTES);
        if (!(in.any("report") instanceof Json.Obj json)) {
            throw in.refuse("report", "should be an object");
        }
        ReplayReport report = ReplayReportJson.fromJson("replay report", json);
        in.end();
        return new TaskAnswer(notes, report);
    }
}
