package org.bitwitness.cli;

import java.util.List;
import org.bitwitness.cli.audit.AuditCommand;
import org.bitwitness.cli.bench.BenchCommand;
import org.bitwitness.cli.bench.GpuBenchCommand;
import org.bitwitness.cli.dataset.DatasetCommand;
import org.bitwitness.cli.demo.DemoCommand;
import org.bitwitness.cli.dispute.DisputeCommand;
import org.bitwitness.cli.doctor.DoctorCommand;
import org.bitwitness.cli.drill.DrillCommand;
import org.bitwitness.cli.key.KeyCommand;
import org.bitwitness.cli.log.LogCommand;
import org.bitwitness.cli.monitor.MonitorCommand;
import org.bitwitness.cli.profile.ProfileCommand;
import org.bitwitness.cli.replay.ReplayCommand;
import org.bitwitness.cli.run.RunCommand;
import org.bitwitness.cli.serve.ServeCommand;
import org.bitwitness.cli.store.StoreCommand;
import org.bitwitness.cli.train.TrainCommand;
import org.bitwitness.cli.train.TrainWorkerCommand;
import org.bitwitness.cli.verify.VerifyCommand;
import org.bitwitness.cli.witness.WitnessCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/**
 * All commands, one class per command or group, each in a package of its own. picocli reads every option of every command
 * it is given, and loads the classes of their types, before it prints a line: so it is given in full only those that
 * the arguments name, and of the others what a list of commands shows.
 */
final class Subcommands {
    private static final List<Class<?>> ALL = List.of(
            DemoCommand.class,
            DatasetCommand.class,
            TrainCommand.class,
            TrainWorkerCommand.class,
            RunCommand.class,
            StoreCommand.class,
            ReplayCommand.class,
            AuditCommand.class,
            DisputeCommand.class,
            DrillCommand.class,
            ProfileCommand.class,
            KeyCommand.class,
            VerifyCommand.class,
            LogCommand.class,
            WitnessCommand.class,
            MonitorCommand.class,
            ServeCommand.class,
            DoctorCommand.class,
            BenchCommand.class,
            GpuBenchCommand.class);

    private Subcommands() {}

    /** Adds all commands to the root, in full. */
    static void addTo(CommandLine root) {
        ALL.forEach(command -> root.addSubcommand(new CommandLine(command)));
    }

    /** Adds all commands to the root, in full those that one of the arguments names. */
    static void addTo(CommandLine root, String... arguments) {
        List<String> words = List.of(arguments);
        // A file of arguments may name any command.
        boolean any = words.stream().anyMatch(word -> word.startsWith("@"));
        for (Class<?> command : ALL) {
            Command names = command.getAnnotation(Command.class);
            if (any || words.contains(names.name())) {
                root.addSubcommand(new CommandLine(command));
            } else {
                root.addSubcommand(names.name(), summary(names));
            }
        }
    }

    private static CommandSpec summary(Command command) {
        CommandSpec spec = CommandSpec.create().name(command.name());
        spec.usageMessage().description(command.description()).hidden(command.hidden());
        return spec;
    }
}
