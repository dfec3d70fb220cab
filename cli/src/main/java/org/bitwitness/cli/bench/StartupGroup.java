package org.bitwitness.cli.bench;

import java.nio.file.Path;
import java.util.List;
import org.bitwitness.cli.support.Home;

/** How long a command takes to start, against a JVM that does nothing. */
final class StartupGroup implements BenchGroup {
    @Override
    public String name() {
        return "startup";
    }

    @Override
    public String describes() {
        return "bitwitness --help, through the launcher, against java -version";
    }

    @Override
    public List<BenchRow> measure(int runs) throws Exception {
        List<String> ours = List.of(Home.folder().resolve("bitwitness").toString(), "--help");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> peer = List.of(java, "-version");
        return List.of(Alternating.seconds(
                "--help", 1, runs, () -> PeerProcess.seconds(ours), () -> PeerProcess.seconds(peer)));
    }
}
