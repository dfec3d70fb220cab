package org.bitwitness.cli.dispute;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.replayer.dispute.DisputeGame;
import org.bitwitness.replayer.dispute.Message;
import org.bitwitness.replayer.dispute.Move;
import org.bitwitness.replayer.dispute.OperatorCase;
import org.bitwitness.replayer.dispute.Party;
import org.bitwitness.replayer.dispute.Status;

/** A dispute as lines for a person and as a document for programs. */
final class DisputeText {
    private static final int SHOWN = 2;

    private DisputeText() {}

    /** What every command's document has. */
    static Map<String, Object> document(Transcript transcript) {
        DisputeGame game = transcript.game();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("dispute", transcript.id().hex());
        document.put("run", game.open().runId().toString());
        document.put("commitment", game.open().commitment().toString());
        document.put("unit", game.open().unit().text());
        document.put("entries", game.unit().entries().size());
        document.put("messages", transcript.messages().size());
        document.put("auditorKey", transcript.key(Party.AUDITOR).id().hex());
        document.put("trainerKey", transcript.key(Party.TRAINER).id().hex());
        document.put("refereeKey", transcript.key(Party.REFEREE).id().hex());
        switch (game.status()) {
            case Status.Waiting waiting -> {
                document.put("status", "waiting");
                document.put("turn", waiting.from().text());
                document.put("need", waiting.need().name().toLowerCase(Locale.ROOT));
                game.receipt().ifPresent(receipt -> document.put("deadline", time(receipt.deadline())));
            }
            case Status.Lost lost -> {
                document.put("status", "contradiction");
                document.put("loser", lost.loser().text());
                document.put("reason", lost.why());
            }
            case Status.Ruled ruled -> {
                document.put("status", "ruled");
                document.put("outcome", ruled.ruling().outcome().name());
                document.put("ground", ruled.ruling().ground().name());
            }
        }
        game.operator().ifPresent(operator -> document.put("operator", operator(operator)));
        return document;
    }

    private static Map<String, Object> operator(OperatorCase operator) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("entry", operator.entry().index());
        document.put("kind", operator.entry().op());
        document.put("name", operator.entry().name());
        document.put("phase", operator.entry().phase().text());
        document.put("microBatch", operator.entry().microBatch());
        document.put("tensor", operator.tensor());
        document.put("trainer", operator.trainer().hex());
        document.put("auditor", operator.auditor().hex());
        document.put(
                "inputs",
                operator.inputs().size() + operator.rowsRoot().stream().count());
        return document;
    }

    /** Where the dispute stands. */
    static List<String> lines(Transcript transcript) {
        DisputeGame game = transcript.game();
        List<String> lines = new ArrayList<>();
        lines.add("dispute    %s over %s of run %s"
                .formatted(transcript.id(), game.open().unit(), game.open().runId()));
        lines.add("messages   %d, over %d operators; %s"
                .formatted(transcript.messages().size(), game.unit().entries().size(), game.span()));
        game.operator().ifPresent(operator -> lines.add("operator   " + operator(operator, true)));
        lines.add("status     " + DisputeGame.describe(game.status()));
        game.receipt()
                .filter(receipt -> game.status() instanceof Status.Waiting)
                .ifPresent(receipt -> lines.add("deadline   " + time(receipt.deadline())));
        return lines;
    }

    static String operator(OperatorCase operator, boolean withRoots) {
        String place = "%s %s (entry %d), tensor %s"
                .formatted(
                        operator.entry().op(),
                        operator.entry().name(),
                        operator.entry().index(),
                        operator.tensor());
        return withRoots
                ? place + ": trainer %s, auditor %s".formatted(brief(operator.trainer()), brief(operator.auditor()))
                : place;
    }

    /** One line for each message. */
    static String line(Transcript.Signed signed) {
        Message message = signed.message();
        return "%3d %-8s %s".formatted(message.sequence(), signed.signer(), said(message.move()));
    }

    private static String said(Move move) {
        return switch (move) {
            case Move.Open open ->
                "opens over %s: my trace root is %s"
                        .formatted(open.unit(), brief(open.claim().traceRoot()));
            case Move.Defence defence ->
                "my trace root is " + brief(defence.claim().traceRoot());
            case Move.Halves halves -> "left %s, right %s".formatted(brief(halves.left()), brief(halves.right()));
            case Move.Entry entry -> "the entry's outputs are " + brief(entry.outputs());
            case Move.Inputs inputs ->
                "it reads entries %s and tensors %s of the state"
                        .formatted(
                                inputs.entries().stream()
                                        .map(Move.OpenedEntry::index)
                                        .toList(),
                                inputs.parameters().stream()
                                        .map(Move.OpenedTensor::name)
                                        .toList());
            case Move.Receipt receipt ->
                "seen at %s, an answer is due until %s".formatted(time(receipt.seenAt()), time(receipt.deadline()));
            case Move.Ruling ruling ->
                "%s, by %s%s"
                        .formatted(
                                ruling.outcome(),
                                ruling.ground(),
                                ruling.computed()
                                        .map(root -> ": the operator gives " + brief(root))
                                        .orElse(""));
        };
    }

    static String time(long seconds) {
        return Instant.ofEpochSecond(seconds).toString();
    }

    /** The last entry has one output for every parameter: more than anybody reads. */
    private static String brief(List<Sha256> digests) {
        String shown = digests.stream().limit(SHOWN).map(DisputeText::brief).collect(Collectors.joining(", "));
        return digests.size() > SHOWN ? shown + " and %d more".formatted(digests.size() - SHOWN) : shown;
    }

    private static String brief(Sha256 digest) {
        return digest.hex().substring(0, 16) + "…";
    }
}
