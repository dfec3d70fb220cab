package org.bitwitness.cli.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.TrustedRoot;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.oms.ModelSignature;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.verify.RunEvidence;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.RecordingReader;

/**
 * The whole flow, one call an arrow: dataset, run, commitment, challenge, audit, verdict; then a run that lies. Every
 * party is a process of its own that sees only files, addresses and its own key.
 */
final class DemoFlow {
    private final DemoFolder folder;
    private final DemoSize size;
    private final Children children;
    private final DemoTalk talk;
    private final DemoKeys keys;
    private String log = "";

    DemoFlow(DemoFolder folder, DemoSize size, Children children, DemoTalk talk) {
        this.folder = folder;
        this.size = size;
        this.children = children;
        this.talk = talk;
        this.keys = new DemoKeys(folder, DemoSize.AUDITORS);
    }

    /** Walks every arrow and judges the result as a stranger would: from the log, the trust folder and the bytes. */
    DemoOutcome walk()
            throws CommandFailure, IOException, InterruptedException, AttestationException, ProtocolException {
        keys.create(new SecureRandom());
        talk.phase("dataset", this::buildDataset);
        talk.phase("log", this::startLogAndWitnesses);
        talk.phase("run", () -> train("run", DemoKeys.TRAINER, folder.run(), size.honestConfig(dataset())));
        talk.phase("release", this::release);
        talk.phase("challenge and audit", this::audit);
        talk.phase("liar", () -> train("liar", DemoKeys.LIAR, folder.liar(), size.liarConfig(dataset())));
        talk.phase("spot check", this::spotCheckTheLiar);
        talk.phase("verify", this::verifyRecording);
        DemoOutcome outcome = judge();
        Files.writeString(folder.summary(), outcome.toJson(talk.seconds()).toText() + "\n");
        return outcome;
    }

    private String buildDataset() throws CommandFailure, IOException, InterruptedException {
        Json.Obj built = children.run(
                "dataset",
                List.of("dataset", "build", "--demo", "--out", folder.dataset().toString()));
        return "real text: " + DemoTalk.pick(built, "documents", "tokens", "samples", "root");
    }

    private String startLogAndWitnesses()
            throws CommandFailure, IOException, InterruptedException, AttestationException {
        List<DemoServices.Service> services = new DemoServices(folder, children).start(keys);
        log = services.getLast().url().toString();
        TrustPolicy trust = TrustPolicy.load(folder.trust());
        Files.writeString(
                folder.trust().resolve("trusted_root.json"),
                TrustedRoot.write(trust.witnesses().logs()));
        return "log at %s (process %d), witnesses %s"
                .formatted(
                        log,
                        services.getLast().pid(),
                        services.subList(0, services.size() - 1).stream()
                                .map(witness -> "%s (process %d)".formatted(witness.name(), witness.pid()))
                                .collect(Collectors.joining(" and ")));
    }

    private String train(String name, String key, Path out, Json.Obj config)
            throws CommandFailure, IOException, InterruptedException {
        Path file = folder.work().resolve(name + ".config.json");
        Files.writeString(file, config.toText() + "\n");
        Json.Obj trained = children.run(
                "train-" + name,
                List.of(
                        "train",
                        "--config",
                        file.toString(),
                        "--out",
                        out.toString(),
                        "--log",
                        log,
                        "--key",
                        folder.key(key).toString(),
                        "--trust",
                        folder.trust().toString()));
        return "%d worker processes, %s"
                .formatted(size.workers(), DemoTalk.pick(trained, "steps", "loss", "commitments", "finalStateRoot"));
    }

    /** The trainer publishes the model with a signature over its folder. */
    private String release() throws IOException, AttestationException {
        DemoFolder.copy(folder.run().resolve("released"), folder.released());
        ModelSignature.sign(folder.released(), new KeyFolder(folder.key(DemoKeys.TRAINER)).signingKey());
        return "model.safetensors, config.json, tokenizer and model.sig in " + folder.released();
    }

    private String audit() throws CommandFailure, IOException, InterruptedException {
        List<Children.Child> auditors = new ArrayList<>();
        for (String auditor : keys.auditorNames()) {
            auditors.add(children.start(auditor, auditWork(auditor, folder.run())));
        }
        for (Children.Child auditor : auditors) {
            auditor.result(ExitCode.OK);
        }
        return "%d auditors (processes %s) drew %d units each and replayed them"
                .formatted(
                        auditors.size(),
                        auditors.stream()
                                .map(child -> Long.toString(child.pid()))
                                .collect(Collectors.joining(", ")),
                        size.unitsPerAuditor());
    }

    private String spotCheckTheLiar() throws CommandFailure, IOException, InterruptedException {
        List<String> command = new ArrayList<>(auditWork(keys.auditorNames().getFirst(), folder.liar()));
        command.addAll(List.of("--spot", lie().text()));
        // Verification says no, and that is what an honest auditor must find here.
        children.start("spot-check", command).result(ExitCode.REFUSED);
        return "%s, chosen by hand, so it counts in no coverage".formatted(lie().text());
    }

    private String verifyRecording() throws CommandFailure, IOException, InterruptedException {
        children.run(
                "run-verify",
                List.of(
                        "run",
                        "verify",
                        folder.run().toString(),
                        "--log",
                        folder.log().toString(),
                        "--trust",
                        folder.trust().toString()));
        return "run verify: every file, hash, signature, order and root of the recording holds";
    }

    private List<String> auditWork(String auditor, Path run) {
        return List.of(
                "audit", "work",
                "--run", run.toString(),
                "--log", log,
                "--key", folder.key(auditor).toString(),
                "--trust", folder.trust().toString(),
                "--out", folder.verdicts().toString(),
                "--threads", "1");
    }

    private AuditUnit.Gradient lie() {
        return new AuditUnit.Gradient(new StepIndex(size.lieStep()), new WorkerId(size.lieWorker()));
    }

    private String dataset() {
        return folder.dataset().toString();
    }

    private DemoOutcome judge() throws AttestationException, ProtocolException {
        TrustPolicy trust = TrustPolicy.load(folder.trust());
        LogSurvey survey =
                LogSurvey.read(LogReader.open(LogSources.at(folder.log().toString()), trust.witnesses()), trust);
        return DemoOutcome.of(size, evidence(survey, folder.run()), evidence(survey, folder.liar()));
    }

    private static RunEvidence evidence(LogSurvey survey, Path run) throws AttestationException, ProtocolException {
        return RunEvidence.of(survey, RecordingReader.open(run).runId());
    }
}
