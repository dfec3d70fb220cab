package org.bitwitness.replayer;

import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.bitwitness.protocol.AuditUnit;

/** A process that replays until a step begins, says so, and then stands still until it is killed. */
final class ReplayThatStops {
    static final String HERE = "stands at step ";

    private ReplayThatStops() {}

    /** {@code RUN UNIT KEPT-FILE STEP} */
    public static void main(String[] arguments) throws Exception {
        String stop = "step " + arguments[3] + ",";
        KeptWorkTest.replay(Path.of(arguments[0]), AuditUnit.parse(arguments[1]), Path.of(arguments[2]), note -> {
            if (note.toLowerCase(Locale.ROOT).startsWith(stop)) {
                System.err.println(HERE + arguments[3]);
                while (true) {
                    LockSupport.park();
                }
            }
        });
    }
}
