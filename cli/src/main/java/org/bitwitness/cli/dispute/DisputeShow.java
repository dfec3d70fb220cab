package org.bitwitness.cli.dispute;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code bitwitness dispute show}: every message, and whose turn it is. */
@Command(
        name = "show",
        description = {
            "Show every message of a dispute and whose turn it is. Signatures and rules are checked;",
            "nothing is executed: dispute verify does that. Exit 0: shown; 2: the files do not hold."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness dispute show dispute-17-2")
final class DisputeShow extends DisputeAction {
    @Mixin
    private DisputePlace place = new DisputePlace();

    @Override
    protected CommandResult execute(CommandIo io) throws Exception {
        try (DisputePlace dispute = place) {
            return show(dispute);
        }
    }

    private CommandResult show(DisputePlace dispute) throws Exception {
        Transcript transcript = dispute.read();
        List<String> said =
                transcript.messages().stream().map(DisputeText::line).toList();
        List<String> lines = new ArrayList<>(said);
        lines.addAll(DisputeText.lines(transcript));
        Map<String, Object> document = DisputeText.document(transcript);
        document.put("said", said);
        return CommandResult.of(ExitCode.OK, document, lines);
    }
}
