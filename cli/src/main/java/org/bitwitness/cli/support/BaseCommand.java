package org.bitwitness.cli.support;

import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that does something. Subclasses say what they need of the JVM and return one result. */
public abstract class BaseCommand implements Callable<Integer>, HasCommonOptions {
    @Mixin
    private CommonOptions common = new CommonOptions();

    @Spec
    private CommandSpec spec;

    /** JVM options without which the command fails half-way: checked first, so that the message names the option. */
    protected Set<RuntimeNeed> needs() {
        return Set.of();
    }

    /**
     * Does the work. Progress and talk go through {@code io}; the result is printed by the caller.
     *
     * @throws CommandFailure with the message and the exit code for a person
     * @throws Exception what {@link Failures} turns into one clear message
     */
    protected abstract CommandResult execute(CommandIo io) throws Exception;

    @Override
    public final Integer call() throws Exception {
        RuntimeNeed.requireAll(needs());
        CommandIo io = CommandIo.of(spec.commandLine(), common);
        CommandResult result = execute(io);
        io.publish(result);
        return result.exitCode().code();
    }

    @Override
    public CommonOptions commonOptions() {
        return common;
    }

    /** The parsed command, for usage errors found after parsing: see {@link CommandFailure#usage}. */
    protected CommandSpec spec() {
        return spec;
    }
}
