package org.bitwitness.portal.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Optional;

/**
 * The log as a page shows it; {@code GET /api/v1/log} answers with it.
 *
 * @param checkpoint the signed note as it stands in the log folder
 * @param entries oldest first
 */
public record LogPage(String checkpoint, List<Entry> entries) {
    /**
     * One log entry.
     *
     * @param summary in plain words, such as "verdict REPRODUCED on STEP(17)"
     * @param signer hexadecimal SHA-256 of the signing key
     */
    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    public record Entry(long index, String summary, Optional<String> runId, String signer) {}
}
