package org.bitwitness.cli.profile;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.cli.support.BackendOptions;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.CommandResult;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.cli.support.ProgressBar;
import org.bitwitness.cli.support.RuntimeNeed;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.FunctionSweep;
import org.bitwitness.kernels.ScalarFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bitwitness profile sweep}: one number over every float32 input of a function. */
@Command(
        name = "sweep",
        description = {
            "Hash a function over all 2^32 inputs and compare with the known answer, where there is one.",
            "Exit 2 when it differs."
        },
        footerHeading = "%nExample:%n",
        footer = "  bitwitness profile sweep tanh")
final class ProfileSweep extends BaseCommand {
    @Parameters(index = "0", paramLabel = "FUNCTION", description = "exp, log, tanh, sigmoid, erf or rsqrt")
    private String function = "";

    @Option(
            names = "--stride",
            paramLabel = "N",
            defaultValue = "1",
            description = "Only every N-th input; no known answer then. Default: ${DEFAULT-VALUE}")
    private int stride = 1;

    @Mixin
    private BackendOptions backendOptions = new BackendOptions();

    @Override
    protected Set<RuntimeNeed> needs() {
        return Set.of(RuntimeNeed.VECTOR);
    }

    @Override
    protected CommandResult execute(CommandIo io) throws CommandFailure {
        ScalarFunction which = CommandFailure.typed(() -> ScalarFunction.parse(function));
        if (stride < 1) {
            throw CommandFailure.usage("--stride is at least 1, got " + stride);
        }
        long sum;
        try (Backend backend = backendOptions.create();
                ProgressBar bar = io.progress("sweep " + which.text(), FunctionSweep.INPUTS)) {
            sum = FunctionSweep.strided(backend, which, stride, bar::update);
        }
        Optional<Long> known = stride == 1 ? FunctionSweep.knownAnswer(which) : Optional.empty();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("function", which.text());
        document.put("backend", backendOptions.id().text());
        document.put("stride", stride);
        document.put("sum", hex(sum));
        known.ifPresent(k -> document.put("knownAnswer", hex(k)));
        String line = "%s %s".formatted(which.text(), hex(sum));
        if (known.isPresent() && known.get() != sum) {
            return CommandResult.of(
                    ExitCode.REFUSED, document, List.of(line, "the known answer is " + hex(known.get())));
        }
        return CommandResult.ok(document, line + known.map(k -> ", as known").orElse(""));
    }

    private static String hex(long value) {
        return "%016x".formatted(value);
    }
}
