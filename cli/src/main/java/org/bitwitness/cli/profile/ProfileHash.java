package org.bitwitness.cli.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code bitwitness profile hash}: the state hash of golden files. For comparing, not for commitments. */
@Command(
        name = "hash",
        description = "Hash a state file: SHA-256 over the data of all tensors, names ascending.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness profile hash state3.safetensors")
final class ProfileHash extends BaseCommand {
    @Parameters(index = "0", paramLabel = "STATE", description = "A safetensors file of F32 tensors.")
    private Path stateFile = Path.of("");

    @Override
    protected CommandResult execute(CommandIo io) throws IOException, CommandFailure {
        ProfileFiles.HashedFile hashed = ProfileFiles.hash(stateFile);
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("tensors", hashed.tensors());
        document.put("state_sha256", hashed.digest().hex());
        return CommandResult.ok(
                document,
                "%d tensors".formatted(hashed.tensors()),
                "state " + hashed.digest().hex());
    }
}
