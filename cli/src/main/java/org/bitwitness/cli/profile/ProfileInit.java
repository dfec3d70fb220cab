package org.bitwitness.cli.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.bitwitness.cli.support.BackendOptions;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.kernels.program.StepConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code bitwitness profile init}: draws the initial state that a configuration's seed gives. */
@Command(
        name = "init",
        description = "Draw the initial state of a configuration.",
        footerHeading = "%nExample:%n",
        footer = "  bitwitness profile init step1.json state0.safetensors")
final class ProfileInit extends BaseCommand {
    @Parameters(index = "0", paramLabel = "CONFIG", description = "A configuration; docs/numerics.md lists its fields.")
    private Path configFile = Path.of("");

    @Parameters(index = "1", paramLabel = "STATE", description = "The safetensors file to write.")
    private Path stateFile = Path.of("");

    @Mixin
    private BackendOptions backendOptions = new BackendOptions();

    @Override
    protected Set<RuntimeNeed> needs() {
        return Set.of(RuntimeNeed.VECTOR);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws IOException, CommandFailure {
        StepConfig config = ProfileFiles.config(configFile);
        try (Backend backend = backendOptions.create()) {
            HostState state = HostState.initial(config.manifest(), config.initial(), config.optimizer(), backend);
            ProfileFiles.writeState(state, stateFile);
            String hash = ProfileFiles.hash(state).hex();
            Map<String, Object> document = new LinkedHashMap<>();
            int tensors = state.tensors().size();
            document.put("tensors", tensors);
            document.put("state_sha256", hash);
            return CommandResult.ok(document, "%d tensors".formatted(tensors), "state " + hash);
        }
    }
}
