package org.bitwitness.cli.support;

import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that only holds others: alone it shows its help and exits 1, since nothing was asked. */
public abstract class GroupCommand implements Callable<Integer>, HasCommonOptions {
    @Mixin
    private CommonOptions common = new CommonOptions();

    @Spec
    private CommandSpec spec;

    @Override
    public final Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return ExitCode.USAGE.code();
    }

    @Override
    public CommonOptions commonOptions() {
        return common;
    }
}
