package org.bitwitness.cli.demo;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.format.StrictJson;

/** The log and the two witnesses of a demo, each a process of its own on a free loopback port. */
final class DemoServices {
    private static final Duration START_WITHIN = Duration.ofSeconds(60);
    private static final Duration LOOK_EVERY = Duration.ofMillis(50);

    private final DemoFolder folder;
    private final Children children;

    DemoServices(DemoFolder folder, Children children) {
        this.folder = folder;
        this.children = children;
    }

    /** A server that listens. */
    record Service(String name, URI url, long pid) {}

    /**
     * Starts the witnesses, writes the trust folder with their addresses, and starts the log.
     *
     * @return the witnesses in order, then the log
     */
    List<Service> start(DemoKeys keys) throws IOException, InterruptedException, CommandFailure, AttestationException {
        List<Children.Child> witnesses = new ArrayList<>();
        for (String name : DemoKeys.WITNESSES) {
            witnesses.add(children.start(
                    name,
                    List.of(
                            "witness", "serve",
                            "--dir", folder.work().resolve(name).toString(),
                            "--key", folder.key(name).toString(),
                            "--vrf-key", folder.key(DemoKeys.vrfKey(name)).toString(),
                            "--log", folder.key(DemoKeys.LOG).toString(),
                            "--port", "0",
                            "--ready-file", ready(name).toString())));
        }
        List<Service> services = new ArrayList<>();
        for (int i = 0; i < witnesses.size(); i++) {
            services.add(await(DemoKeys.WITNESSES.get(i), witnesses.get(i)));
        }
        keys.writeTrust(services.stream().map(Service::url).toList());
        Children.Child log = children.start(
                DemoKeys.LOG,
                List.of(
                        "log", "serve",
                        "--dir", folder.log().toString(),
                        "--key", folder.key(DemoKeys.LOG).toString(),
                        "--trust", folder.trust().toString(),
                        "--port", "0",
                        "--ready-file", ready(DemoKeys.LOG).toString()));
        services.add(await(DemoKeys.LOG, log));
        return services;
    }

    private Path ready(String name) {
        return folder.work().resolve(name + ".ready.json");
    }

    private Service await(String name, Children.Child child) throws IOException, InterruptedException, CommandFailure {
        Path file = ready(name);
        for (long waited = 0; waited < START_WITHIN.toMillis(); waited += LOOK_EVERY.toMillis()) {
            if (Files.exists(file)) {
                try {
                    JsonFields fields = JsonFields.of(
                            file.toString(), StrictJson.object(Files.readAllBytes(file), file.toString()));
                    return new Service(name, URI.create(fields.text("url")), child.pid());
                } catch (ProtocolException e) {
                    throw CommandFailure.usage(e.getMessage());
                }
            }
            if (!child.isAlive()) {
                child.result();
            }
            Thread.sleep(LOOK_EVERY);
        }
        throw CommandFailure.usage(name + " did not start within " + START_WITHIN.toSeconds() + " s: see "
                + folder.work().resolve(name + ".log"));
    }
}
