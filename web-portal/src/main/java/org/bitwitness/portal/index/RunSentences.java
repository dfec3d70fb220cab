package org.bitwitness.portal.index;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.attestation.verify.RunEvidence;
import org.bitwitness.attestation.verify.VerdictFinding;
import org.bitwitness.portal.view.RunPage.Units;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.audit.Coverage;
import org.bitwitness.protocol.record.Commitment;

/** What a page says in words. The words carry no more than the evidence does. */
final class RunSentences {
    private RunSentences() {}

    static String headline(RunEvidence evidence, Units units) {
        if (evidence.drill().isPresent()) {
            return "DRILL: this run was %s; do not use its model"
                    .formatted(evidence.drill().get().sentence());
        }
        if (!evidence.failures().isEmpty()) {
            VerdictFinding first = evidence.failures().getFirst();
            String where = first.logged()
                    .statement()
                    .report()
                    .firstDifference()
                    .map(FirstDifference::place)
                    .orElse("the whole unit");
            return "FAILED: %s does not reproduce, first difference at %s"
                    .formatted(first.unit().text(), where);
        }
        if (units.audited() == 0) {
            return evidence.chain().isFinished()
                    ? "Committed and logged, not audited yet"
                    : "Open: %d steps committed so far, not audited yet"
                            .formatted(last(evidence).endStep());
        }
        return "%d of %d units audited, %s"
                .formatted(
                        units.audited(),
                        units.population(),
                        units.reproduced() == units.audited()
                                ? "all reproduced"
                                : "%d reproduced, %d inconclusive".formatted(units.reproduced(), units.inconclusive()));
    }

    static List<String> proven(RunEvidence evidence, Coverage coverage) {
        List<String> lines = new ArrayList<>();
        lines.add("One key signed every commitment of this run, from OPEN on"
                + evidence.trainer()
                        .map(name -> "; it is \"" + name + "\" in this portal's trust folder")
                        .orElse(""));
        lines.add(
                "Each commitment stands in a log whose state enough witnesses signed, so it cannot be changed unseen");
        long drawn = evidence.challenges().stream()
                .filter(challenge -> challenge.counts())
                .count();
        if (drawn > 0) {
            lines.add(
                    "%d auditors drew their units after the commitment was logged; this portal drew again and got the same"
                            .formatted(drawn));
        }
        if (!evidence.reproducedUnits().isEmpty()) {
            lines.add("%d drawn units reproduced bit for bit; %d of %d steps are covered"
                    .formatted(evidence.reproducedUnits().size(), coverage.coveredSteps(), coverage.steps()));
        }
        for (VerdictFinding failure : evidence.failures()) {
            lines.add("%s diverged: two backends computed the same bits, and they are not the recorded ones"
                    .formatted(failure.unit().text()));
        }
        return lines;
    }

    static List<String> notProven(RunEvidence evidence) {
        List<String> lines = new ArrayList<>();
        lines.add("Steps that nobody audited: see what the sample is worth above");
        lines.add(
                "That the data is good, lawful or free of planted triggers: honest training on poisoned data reproduces");
        lines.add("That the auditors did not collude");
        if (evidence.trainer().isEmpty()) {
            lines.add("Who the trainer is: this portal does not know the key");
        }
        if (!evidence.chain().isFinished()) {
            lines.add("How the run ends: there is no final commitment");
        }
        if (!evidence.siblings().isEmpty()) {
            lines.add("That this is the trainer's only try: %d other runs on the same dataset are listed below"
                    .formatted(evidence.siblings().size()));
        }
        evidence.unanswered().forEach(unit -> lines.add("No verdict yet on " + unit));
        return lines;
    }

    private static Commitment last(RunEvidence evidence) {
        return evidence.chain().last().statement().commitment();
    }
}
