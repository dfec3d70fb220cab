package org.bitwitness.cli.dispute;

import java.util.Set;
import org.bitwitness.cli.support.BaseCommand;
import org.bitwitness.cli.support.RuntimeNeed;

/** What the commands on a dispute need of the JVM: recordings are read, operators executed. */
abstract class DisputeAction extends BaseCommand {
    @Override
    protected final Set<RuntimeNeed> needs() {
        return Set.of(RuntimeNeed.ARROW, RuntimeNeed.VECTOR);
    }
}
