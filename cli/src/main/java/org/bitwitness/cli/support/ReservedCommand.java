package org.bitwitness.cli.support;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Unmatched;

/** A name that is kept for a later version. It takes any arguments, does nothing, and never looks like a success. */
public abstract class ReservedCommand extends BaseCommand {
    private final String instead;

    @Unmatched
    private List<String> ignored = new ArrayList<>();

    /**
     * @param instead what a person can do today, as a sentence without a full stop
     */
    protected ReservedCommand(String instead) {
        this.instead = instead;
    }

    @Override
    protected final CommandResult execute(CommandIo io) throws CommandFailure {
        String name = spec().qualifiedName();
        throw CommandFailure.usage("'" + name + "' is not in this version: " + instead);
    }
}
