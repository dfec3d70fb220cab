package org.bitwitness.recorder.train;

import java.util.List;
import org.bitwitness.protocol.WorkerId;

/** A worker process of the tests. */
final class WorkerMain {
    private WorkerMain() {}

    public static void main(String[] args) throws Exception {
        List<String> arguments = List.of(args);
        int port = Integer.parseInt(arguments.get(arguments.indexOf("--connect") + 1));
        int worker = Integer.parseInt(arguments.get(arguments.indexOf("--worker") + 1));
        System.exit(Worker.run(port, new WorkerId(worker), System.in));
    }
}
