package org.bitwitness.cli.train;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.CommandIo;
import org.bitwitness.cli.support.VersionProvider;
import org.bitwitness.recorder.train.HostWorkers;
import org.bitwitness.recorder.wire.JoinMessage;
import org.bitwitness.recorder.wire.JoinToken;
import org.bitwitness.recorder.wire.TlsIdentity;
import picocli.CommandLine.Option;

/** Options of {@code train} for workers on several hosts. */
final class HostOptions {
    private static final int MAX_SECONDS = 7 * 24 * 3600;

    @Option(
            names = "--hosts",
            paramLabel = "HOSTS",
            description = "Wait for workers on other hosts instead of starting them here: a:2,b:2 expects two on host a"
                    + " and two on host b; a,b shares the workers out evenly. Start them with train-worker --join.")
    private Optional<String> hosts = Optional.empty();

    @Option(
            names = "--listen",
            paramLabel = "ADDR:PORT",
            description =
                    "With --hosts: address of this machine at which the workers reach it; port 0 picks a free one.")
    private Optional<String> listen = Optional.empty();

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "With --hosts: where to write the secret that lets workers in (default: RUN.token). It is new"
                    + " for every start and deleted at the end.")
    private Optional<Path> tokenFile = Optional.empty();

    @Option(
            names = "--join-limit",
            paramLabel = "SECONDS",
            defaultValue = "1800",
            description = "With --hosts: longest wait until all workers have joined (default: ${DEFAULT-VALUE}).")
    private int joinLimit;

    @Option(
            names = "--answer-limit",
            paramLabel = "SECONDS",
            defaultValue = "600",
            description =
                    "Longest wait for any answer of a worker before it counts as lost (default: ${DEFAULT-VALUE}).")
    private int answerLimit;

    Duration answerLimit() throws CommandFailure {
        return seconds("--answer-limit", answerLimit);
    }

    boolean wanted() {
        return hosts.isPresent();
    }

    /**
     * Refuses what cannot be, before anything is made.
     *
     * @param workers of the run
     */
    void require(int workers, boolean inProcess) throws CommandFailure {
        answerLimit();
        seconds("--join-limit", joinLimit);
        if (hosts.isEmpty()) {
            if (listen.isPresent() || tokenFile.isPresent()) {
                throw CommandFailure.usage(
                        "--listen and --token-file are for workers on other hosts: name them with" + " --hosts");
            }
            return;
        }
        if (inProcess) {
            throw CommandFailure.usage("--hosts and --in-process exclude each other");
        }
        places(workers);
        Endpoint.parse("--listen", listen.orElse(""));
    }

    /** The workers to wait for; says how to start them once it is known where. */
    HostWorkers workers(Path out, Path dataset, int count, CommandIo io) throws CommandFailure, IOException {
        List<String> places = places(count);
        InetSocketAddress address = Endpoint.parse("--listen", listen.orElse(""));
        TlsIdentity identity = TlsIdentity.create();
        JoinToken token = JoinToken.create(identity.fingerprint());
        Path file = tokenFile(out);
        removeStale(file);
        token.write(file);
        HostWorkers.Setting setting = new HostWorkers.Setting(
                VersionProvider.version(),
                seconds("--join-limit", joinLimit),
                port -> invite(io, places, address.getHostString() + ":" + port, file, dataset),
                io::note);
        return new HostWorkers(address, identity, token, places, setting);
    }

    /** The secret is worth nothing once the run is over. */
    void finish(Path out) throws IOException {
        if (wanted()) {
            Files.deleteIfExists(tokenFile(out));
        }
    }

    private Path tokenFile(Path out) {
        return tokenFile.orElseGet(() -> out.resolveSibling(out.getFileName() + ".token"));
    }

    /** One that a killed run has left; anything else is not ours to replace. */
    private static void removeStale(Path file) throws CommandFailure, IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try {
            JoinToken.read(file);
        } catch (IOException e) {
            throw CommandFailure.usage("--token-file: %s is there already and is no token file".formatted(file));
        }
        Files.delete(file);
    }

    private static void invite(CommandIo io, List<String> places, String address, Path token, Path dataset) {
        io.note("waiting for %d workers at %s; copy %s to the hosts and start there:"
                .formatted(places.size(), address, token));
        for (String host : new LinkedHashSet<>(places)) {
            int times = Collections.frequency(places, host);
            io.note("  on %s%s: bitwitness train-worker --join %s --host %s --token-file %s --dataset %s"
                    .formatted(
                            host,
                            times == 1 ? "" : ", %d times".formatted(times),
                            address,
                            host,
                            token.getFileName(),
                            Optional.ofNullable(dataset.getFileName()).orElse(dataset)));
        }
    }

    /** The host of every worker, in layout order. */
    private List<String> places(int workers) throws CommandFailure {
        List<String> entries = List.of(hosts.orElse("").split(",", -1));
        List<String> places = new ArrayList<>();
        for (String entry : entries) {
            int colon = entry.indexOf(':');
            String host = colon < 0 ? entry : entry.substring(0, colon);
            if (!JoinMessage.isHost(host)) {
                throw CommandFailure.usage(
                        "--hosts is a list such as a:2,b:2 or a,b; \"%s\" is no host".formatted(entry));
            }
            int count = colon < 0 ? share(workers, entries.size()) : count(entry, entry.substring(colon + 1));
            places.addAll(Collections.nCopies(count, host));
        }
        if (places.size() != workers) {
            throw CommandFailure.usage("--hosts has places for %d workers, the configuration has %d workers"
                    .formatted(places.size(), workers));
        }
        return places;
    }

    private static int share(int workers, int hosts) throws CommandFailure {
        if (workers % hosts != 0) {
            throw CommandFailure.usage(
                    "--hosts: %d workers cannot be shared out evenly over %d hosts; say how many each"
                                    .formatted(workers, hosts)
                            + " one has, as in a:2,b:1");
        }
        return workers / hosts;
    }

    private static int count(String entry, String digits) throws CommandFailure {
        if (digits.isEmpty() || digits.length() > 4 || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw CommandFailure.usage("--hosts: \"%s\" should be a host and a number of workers".formatted(entry));
        }
        return Integer.parseInt(digits);
    }

    private static Duration seconds(String option, int seconds) throws CommandFailure {
        if (seconds < 1 || seconds > MAX_SECONDS) {
            throw CommandFailure.usage("%s is from 1 to %d seconds, got %d".formatted(option, MAX_SECONDS, seconds));
        }
        return Duration.ofSeconds(seconds);
    }
}
