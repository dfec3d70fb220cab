package org.bitwitness.cli.support;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import org.bitwitness.protocol.format.Json;

/** Writes results as JSON for other programs. Only writes: untrusted JSON is read by {@code StrictJson} alone. */
public final class JsonOutput {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .addModule(new Jdk8Module())
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();

    private JsonOutput() {}

    /** One document, indented, without a final line end. */
    public static String write(Object document) {
        if (document instanceof Json json) {
            return json.toPrettyText();
        }
        try {
            return MAPPER.writeValueAsString(document);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "a result must be writable as JSON, but "
                            + document.getClass().getName() + " is not",
                    e);
        }
    }
}
