package org.bitwitness.cli;

import org.bitwitness.cli.audit.AuditCommand;
import org.bitwitness.cli.bench.BenchCommand;
import org.bitwitness.cli.dataset.DatasetCommand;
import org.bitwitness.cli.demo.DemoCommand;
import org.bitwitness.cli.dispute.DisputeCommand;
import org.bitwitness.cli.doctor.DoctorCommand;
import org.bitwitness.cli.key.KeyCommand;
import org.bitwitness.cli.log.LogCommand;
import org.bitwitness.cli.monitor.MonitorCommand;
import org.bitwitness.cli.profile.ProfileCommand;
import org.bitwitness.cli.replay.ReplayCommand;
import org.bitwitness.cli.run.RunCommand;
import org.bitwitness.cli.serve.ServeCommand;
import org.bitwitness.cli.support.GroupCommand;
import org.bitwitness.cli.support.VersionProvider;
import org.bitwitness.cli.train.TrainCommand;
import org.bitwitness.cli.train.TrainWorkerCommand;
import org.bitwitness.cli.verify.VerifyCommand;
import org.bitwitness.cli.witness.WitnessCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The root of all commands. One class per command or group, each in a package of its own. */
@Command(
        name = "bitwitness",
        description = "Lets anyone check the story of a model's weights.",
        versionProvider = VersionProvider.class,
        subcommands = {
            DemoCommand.class,
            DatasetCommand.class,
            TrainCommand.class,
            TrainWorkerCommand.class,
            RunCommand.class,
            ReplayCommand.class,
            AuditCommand.class,
            DisputeCommand.class,
            ProfileCommand.class,
            KeyCommand.class,
            VerifyCommand.class,
            LogCommand.class,
            WitnessCommand.class,
            MonitorCommand.class,
            ServeCommand.class,
            DoctorCommand.class,
            BenchCommand.class
        },
        footerHeading = "%nExample:%n",
        footer = {
            "  bitwitness demo",
            "",
            "Exit codes: 0 all verified, 1 usage or environment, 2 verification says no, 3 no result."
        })
public final class BitwitnessCommand extends GroupCommand {
    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version and exit.")
    private boolean version;

    /** Whether the version was asked for; picocli prints it. */
    public boolean versionAsked() {
        return version;
    }
}
