package org.bitwitness.cli.verify;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.keys.KeyFolder;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.oms.ModelSignature;
import org.bitwitness.attestation.trust.TrustPolicy;
import org.bitwitness.attestation.verify.LogSurvey;
import org.bitwitness.attestation.verify.RunEvidence;
import org.bitwitness.cli.support.CommandFailure;
import org.bitwitness.cli.support.ExitCode;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ReleasedRoot;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.format.RecordingPaths;

/** Judges targets with one trust folder and at most one log, which is read once for all of them. */
final class Verifier {
    private final Optional<TrustPolicy> trust;
    private final Optional<VerifyingKey> extraKey;
    private final Optional<LogSurvey> survey;

    private Verifier(Optional<TrustPolicy> trust, Optional<VerifyingKey> extraKey, Optional<LogSurvey> survey) {
        this.trust = trust;
        this.extraKey = extraKey;
        this.survey = survey;
    }

    /**
     * Reads what the options name. A log needs a trust folder: without one, nobody says which log and witnesses
     * count.
     */
    static Verifier open(Optional<Path> trustFolder, Optional<String> log, Optional<Path> keyFile)
            throws AttestationException, CommandFailure {
        if (trustFolder.isEmpty() && (log.isPresent() || keyFile.isEmpty())) {
            throw CommandFailure.usage(
                    "give --trust DIR: it says which logs, witnesses, auditors and trainers you accept"
                            + " (for one signature, --key PEM is enough)");
        }
        Optional<TrustPolicy> trust = Optional.empty();
        Optional<LogSurvey> survey = Optional.empty();
        Optional<VerifyingKey> key = Optional.empty();
        if (trustFolder.isPresent()) {
            trust = Optional.of(CommandFailure.own(() -> TrustPolicy.load(trustFolder.get())));
        }
        if (keyFile.isPresent()) {
            key = Optional.of(CommandFailure.own(() -> KeyFolder.readVerifyingKey(keyFile.get())));
        }
        if (log.isPresent()) {
            TrustPolicy policy = trust.orElseThrow();
            survey = Optional.of(LogSurvey.read(LogReader.open(LogSources.at(log.get()), policy.witnesses()), policy));
        }
        return new Verifier(trust, key, survey);
    }

    /** Judges one target. */
    Judgement judge(String target) throws AttestationException, IOException, CommandFailure {
        if (Sha256.isHex(target)) {
            return byDigest(target, Sha256.ofHex(target));
        }
        Path path = Path.of(target);
        if (Files.isDirectory(path)) {
            return modelFolder(target, path);
        }
        if (!Files.isRegularFile(path)) {
            throw CommandFailure.usage("no such file, and not a digest of 64 lower-case hex digits: " + target);
        }
        return looksLikeBundle(path) ? bundle(target, path) : byDigest(target, Hashing.file(path));
    }

    private Judgement byDigest(String target, Sha256 digest) throws AttestationException, CommandFailure {
        LogSurvey log = survey.orElseThrow(
                () -> CommandFailure.usage("a file or digest is looked up in a log: give --log DIR or --log URL"));
        log.requireComplete();
        Set<RunId> runs = log.runsAbout(digest);
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("sha256", digest.hex());
        if (runs.isEmpty()) {
            return new Judgement(
                    target,
                    ExitCode.INCONCLUSIVE,
                    "SHA-256 %s is released by no run in %s: nothing is known about it here"
                            .formatted(digest, log.log().origin()),
                    List.of(),
                    List.of(),
                    details);
        }
        List<RunEvidence> evidence = new ArrayList<>();
        List<String> unjudged = new ArrayList<>();
        for (RunId run : runs) {
            try {
                evidence.add(RunEvidence.of(log, run));
            } catch (AttestationException e) {
                if (log.isByAcceptedTrainer(run)) {
                    throw e;
                }
                unjudged.add("what a key that you do not accept claims about this file: " + e.getMessage());
            }
        }
        return evidence.isEmpty()
                ? new Judgement(
                        target,
                        ExitCode.INCONCLUSIVE,
                        "no run of a trainer you accept released SHA-256 %s in %s"
                                .formatted(digest, log.log().origin()),
                        List.of(),
                        unjudged,
                        details)
                : RunJudgement.of(target, log, trustedFirst(evidence), details);
    }

    /**
     * Anybody can log a run that claims somebody's file, so a trusted trainer's runs are judged alone if there are
     * any.
     */
    private static List<RunEvidence> trustedFirst(List<RunEvidence> evidence) {
        List<RunEvidence> trusted =
                evidence.stream().filter(run -> run.trainer().isPresent()).toList();
        return trusted.isEmpty() ? evidence : trusted;
    }

    private Judgement bundle(String target, Path file) throws AttestationException, IOException {
        if (Files.size(file) > SigstoreBundle.MAX_BYTES) {
            throw AttestationException.malformed(
                    "%s: expected a bundle of at most %d bytes".formatted(file, SigstoreBundle.MAX_BYTES));
        }
        SigstoreBundle bundle = SigstoreBundle.parse(Files.readAllBytes(file));
        return new BundleJudgement(trust, survey).judge(target, bundle, signer(bundle));
    }

    private Judgement modelFolder(String target, Path folder) throws AttestationException, CommandFailure {
        refuseRecording(folder);
        VerifyingKey key = signer(ModelSignature.read(folder));
        ReleasedRoot root = ModelSignature.verify(folder, key);
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("releasedRoot", root.digest().hex());
        details.put("signer", key.id().hex());
        String signed =
                "every file is as %s signed it; root %s".formatted(SignerNames.of(trust, survey, key), root.digest());
        if (survey.isEmpty()) {
            return new Judgement(
                    target,
                    ExitCode.OK,
                    signed,
                    List.of(signed),
                    List.of(
                            "how the model was made: give --log to see what is known about its run",
                            "that no auditor found a difference: failed verdicts elsewhere cannot be excluded"),
                    details);
        }
        Judgement run = byDigest(target, root.digest());
        List<String> proven = new ArrayList<>(List.of(signed));
        proven.addAll(run.proven());
        details.putAll(run.details());
        return new Judgement(target, run.exitCode(), run.headline(), proven, run.notProven(), details);
    }

    /** A recording has commands of its own; that it carries no signature of a model says nothing about it. */
    private static void refuseRecording(Path folder) throws CommandFailure {
        boolean recording = Files.isDirectory(folder.resolve(RecordingPaths.COMMITMENTS))
                && Files.isRegularFile(folder.resolve(RecordingPaths.DESCRIPTOR.text()))
                && !Files.exists(folder.resolve(ModelSignature.FILE));
        if (recording) {
            throw CommandFailure.usage(
                    "%s is the recording of a run: `bitwitness run verify %s` checks it; the model in %s"
                                    .formatted(folder, folder, folder.resolve(RecordingPaths.RELEASED))
                            + " is looked up with `bitwitness verify FILE --log LOG --trust DIR`");
        }
    }

    /** The key that a bundle names, if the verifier accepts it. The signature still has to hold. */
    private VerifyingKey signer(SigstoreBundle bundle) throws AttestationException {
        Set<VerifyingKey> accepted = new LinkedHashSet<>();
        extraKey.ifPresent(accepted::add);
        trust.ifPresent(policy -> {
            accepted.addAll(policy.auditors().values());
            accepted.addAll(policy.trainers().values());
            accepted.addAll(policy.registrars().values());
        });
        survey.ifPresent(log -> accepted.addAll(log.registry().signers()));
        return accepted.stream()
                .filter(key -> key.id().equals(bundle.hint()))
                .findFirst()
                .orElseThrow(() -> AttestationException.refused(
                        "signed by key %s, which neither the trust folder nor --key names".formatted(bundle.hint())));
    }

    private static boolean looksLikeBundle(Path file) throws IOException {
        if (file.toString().endsWith(".sigstore.json")
                || ModelSignature.FILE.equals(String.valueOf(file.getFileName()))) {
            return true;
        }
        try (var in = Files.newInputStream(file)) {
            String start = new String(in.readNBytes(1 << 16), StandardCharsets.ISO_8859_1);
            return start.stripLeading().startsWith("{") && start.contains("\"application/vnd.dev.sigstore.bundle");
        }
    }
}
