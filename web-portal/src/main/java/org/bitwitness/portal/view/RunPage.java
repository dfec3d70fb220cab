package org.bitwitness.portal.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.Sha256;

/**
 * Everything the page of one run shows; {@code GET /api/v1/runs/{runId}} answers with it.
 *
 * @param sentence the one line a visitor reads, such as "12 of 62 units audited, all reproduced"
 * @param level assurance level, such as {@code BW3}
 * @param levelClaim what that level claims, in words
 * @param failed true when any verdict is DIVERGED; never becomes false again
 * @param steps committed steps
 * @param loss recorded loss of each step in nats per token, absent (JSON null) where it is no finite number; no steps
 *     when the recording is not at hand
 * @param proven sentences that the log supports
 * @param notProven sentences a visitor might wrongly assume
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record RunPage(
        String runId,
        String sentence,
        String level,
        String levelClaim,
        boolean failed,
        long steps,
        String trainerKey,
        Optional<String> profile,
        String datasetRoot,
        String descriptorDigest,
        String stateRoot,
        Units units,
        CoverageStrip coverage,
        List<PowerRow> detectionPower,
        List<Optional<Float>> loss,
        List<CommitmentRow> commitments,
        List<ChallengeRow> challenges,
        List<VerdictRow> verdicts,
        List<ReleasedFile> released,
        List<String> beaconModes,
        List<OtherRun> otherRuns,
        List<String> proven,
        List<String> notProven) {

    /** Counts of units: {@code population} could have been drawn, {@code audited} of them have a drawn verdict. */
    public record Units(
            long population, long audited, long reproduced, long diverged, long inconclusive, long spotChecks) {}

    /**
     * One letter a step: {@code R} reproduced, {@code D} diverged, {@code I} inconclusive, {@code .} not audited.
     *
     * @param minimumReplicas independent auditors that a step needs to count as covered
     */
    public record CoverageStrip(String strip, long coveredSteps, int minimumReplicas) {}

    /** Probability that the audits done so far would have hit a run with {@code badSteps} bad steps. */
    public record PowerRow(long badSteps, double probability) {}

    /** One logged commitment; sequence 0 is OPEN. The API's field is named {@code final}, a word of the language. */
    public record CommitmentRow(
            long sequence,
            long endStep,
            String digest,
            long logIndex,
            @JsonProperty("final") boolean last) {}

    /** One logged challenge. */
    public record ChallengeRow(String auditor, String beaconMode, long logIndex, List<String> units) {}

    /** One logged verdict. */
    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    public record VerdictRow(
            String unit,
            String verdict,
            Optional<String> grade,
            String auditor,
            boolean drawn,
            String backend,
            Optional<String> confirmedBy,
            Optional<Difference> firstDifference,
            Optional<String> reason,
            long logIndex) {}

    /** Where the first difference lies; a field that the recording cannot tell is absent. */
    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    public record Difference(
            String resolution,
            Optional<Long> step,
            Optional<Integer> worker,
            Optional<Integer> microBatch,
            Optional<String> operator,
            Optional<String> tensor,
            Optional<Long> index,
            Optional<String> expectedBits,
            Optional<String> computedBits) {}

    /** A file of the released model. */
    public record ReleasedFile(
            String name,
            @JsonSerialize(using = ToStringSerializer.class) Sha256 sha256) {}

    /** Another run of the same trainer on the same dataset: many tries with one shown would appear here. */
    public record OtherRun(String runId, String sentence) {}

    /** The same page with the sentences of the other runs, which are known once every page is made. */
    public RunPage withOtherRuns(List<OtherRun> runs) {
        return new RunPage(
                runId,
                sentence,
                level,
                levelClaim,
                failed,
                steps,
                trainerKey,
                profile,
                datasetRoot,
                descriptorDigest,
                stateRoot,
                units,
                coverage,
                detectionPower,
                loss,
                commitments,
                challenges,
                verdicts,
                released,
                beaconModes,
                runs,
                proven,
                notProven);
    }

    /** The short form for the list of runs. */
    public RunCard card() {
        return new RunCard(runId, sentence, level, failed, steps, trainerKey, units);
    }

    /** What the home page lists. */
    public record RunCard(
            String runId, String sentence, String level, boolean failed, long steps, String trainerKey, Units units) {}
}
