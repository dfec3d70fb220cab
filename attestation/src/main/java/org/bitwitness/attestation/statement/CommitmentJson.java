package org.bitwitness.attestation.statement;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.ChainHash;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.DatasetRoot;
import org.bitwitness.protocol.DescriptorDigest;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.ReleasedRoot;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepsRoot;
import org.bitwitness.protocol.format.Json;
import org.bitwitness.protocol.format.JsonFields;
import org.bitwitness.protocol.record.AuditPolicy;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.FileEntry;
import org.bitwitness.protocol.record.OpenExt;

/** A commitment as a JSON predicate. Its digest is over the canonical bytes, not over this JSON. */
final class CommitmentJson {
    private static final int MAX_FILES = 10_000;

    private CommitmentJson() {}

    static Json.Obj write(Commitment commitment) {
        Json.Builder out = Json.object()
                .put("chainHash", commitment.chainHash().digest().hex())
                .put("commitmentDigest", commitment.digest().hex())
                .put("endStep", commitment.endStep())
                .put("final", commitment.isFinal())
                .put(
                        "newFiles",
                        new Json.Arr(commitment.newFiles().stream()
                                .map(CommitmentJson::file)
                                .toList()));
        commitment.open().ifPresent(open -> out.put("open", open(open)));
        commitment.previousDigest().ifPresent(digest -> out.put("previousDigest", digest.hex()));
        commitment
                .releasedRoot()
                .ifPresent(root -> out.put("releasedRoot", root.digest().hex()));
        return out.put("runId", commitment.runId().hex())
                .put("sequence", commitment.sequence())
                .put("stateRoot", commitment.stateRoot().digest().hex())
                .put("stepsRoot", commitment.stepsRoot().digest().hex())
                .build();
    }

    static Commitment read(JsonFields in) throws ProtocolException {
        RunId runId = new RunId(in.digest("runId"));
        long sequence = in.integer("sequence", 0, Long.MAX_VALUE);
        Optional<CommitmentDigest> previous = in.has("previousDigest")
                ? Optional.of(new CommitmentDigest(in.digest("previousDigest")))
                : Optional.empty();
        long endStep = in.integer("endStep", 0, Long.MAX_VALUE);
        StepsRoot stepsRoot = new StepsRoot(in.digest("stepsRoot"));
        ChainHash chainHash = new ChainHash(in.digest("chainHash"));
        StateRoot stateRoot = new StateRoot(in.digest("stateRoot"));
        Optional<ReleasedRoot> released =
                in.has("releasedRoot") ? Optional.of(new ReleasedRoot(in.digest("releasedRoot"))) : Optional.empty();
        if (in.bool("final") != released.isPresent()) {
            throw in.refuse("final", "is true exactly where there is a releasedRoot");
        }
        List<FileEntry> files = new ArrayList<>();
        for (JsonFields file : in.objects("newFiles", MAX_FILES)) {
            files.add(readFile(file));
        }
        Optional<OpenExt> open = in.has("open") ? Optional.of(readOpen(in.object("open"))) : Optional.empty();
        Commitment commitment = Reading.value(
                in.path(),
                () -> new Commitment(
                        runId, sequence, previous, endStep, stepsRoot, chainHash, stateRoot, released, files, open));
        if (!commitment.digest().digest().equals(in.digest("commitmentDigest"))) {
            throw in.refuse("commitmentDigest", "should be " + commitment.digest());
        }
        in.end();
        return commitment;
    }

    private static Json file(FileEntry file) {
        return Json.object()
                .put("bytes", file.bytes())
                .put("path", file.path().text())
                .put("sha256", file.sha256().hex())
                .build();
    }

    private static FileEntry readFile(JsonFields in) throws ProtocolException {
        String path = in.text("path");
        long bytes = in.integer("bytes", 0, Long.MAX_VALUE);
        var sha256 = in.digest("sha256");
        in.end();
        return Reading.value(in.path(), () -> new FileEntry(new RecordingPath(path), bytes, sha256));
    }

    private static Json.Obj open(OpenExt open) {
        AuditPolicy policy = open.policy();
        return Json.object()
                .put("datasetRoot", open.datasetRoot().digest().hex())
                .put("descriptorDigest", open.descriptorDigest().digest().hex())
                .put("initialState", open.initialState().digest().hex())
                .put(
                        "policy",
                        Json.object()
                                .put("beaconMode", policy.beaconMode().text())
                                .put("deadlineSeconds", policy.deadline().toSeconds())
                                .put("minimumReplicas", policy.minimumReplicas())
                                .put("population", policy.population())
                                .put("unitsPerAuditor", policy.unitsPerAuditor())
                                .build())
                .put("trainerSpki", open.trainerKeyHex())
                .build();
    }

    private static OpenExt readOpen(JsonFields in) throws ProtocolException {
        DescriptorDigest descriptor = new DescriptorDigest(in.digest("descriptorDigest"));
        DatasetRoot dataset = new DatasetRoot(in.digest("datasetRoot"));
        StateRoot initial = new StateRoot(in.digest("initialState"));
        String trainer = in.text("trainerSpki");
        JsonFields policy = in.object("policy");
        String population = policy.text("population");
        int units = policy.integer32("unitsPerAuditor", 1, Integer.MAX_VALUE);
        int replicas = policy.integer32("minimumReplicas", 1, Integer.MAX_VALUE);
        String mode = policy.text("beaconMode");
        long deadline = policy.integer("deadlineSeconds", 0, Long.MAX_VALUE);
        policy.end();
        in.end();
        return Reading.value(
                in.path(),
                () -> new OpenExt(
                        descriptor,
                        dataset,
                        initial,
                        trainer,
                        new AuditPolicy(
                                population, units, replicas, BeaconMode.ofText(mode), Duration.ofSeconds(deadline))));
    }
}
