package org.bitwitness.protocol.format;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.StateIndex;

/** Where things lie in a recording. */
public final class RecordingPaths {
    public static final RecordingPath DESCRIPTOR = new RecordingPath("descriptor.json");
    public static final RecordingPath DATASET_MANIFEST = new RecordingPath("dataset/manifest.json");
    public static final String DATASET = "dataset";
    public static final String STEPS = "steps";
    public static final String STATES = "states";
    public static final String TRACES = "traces";
    public static final String DETECTORS = "detectors";
    public static final String UPDATES = "updates";
    public static final String COMMITMENTS = "commitments";
    public static final String RELEASED = "released";
    public static final String TELEMETRY = "telemetry";

    private static final Pattern STATE =
            Pattern.compile("states/([0-9]{12})/(?:model\\.safetensors|optimizer\\.safetensors|scalars\\.json)");
    private static final Pattern UPDATE = Pattern.compile("updates/([0-9]{12})\\.update");
    private static final Pattern COMMITMENT = Pattern.compile("commitments/([0-9]{4,9})\\.(?:bin|sigstore\\.json)");

    private RecordingPaths() {}

    /** The digits of a name are 0 to 9, whatever the default locale is. */
    private static RecordingPath path(String pattern, long number) {
        return new RecordingPath(String.format(Locale.ROOT, pattern, number));
    }

    /** {@code steps/000000000010.arrow}: records from this step on. */
    public static RecordingPath steps(long firstStep) {
        return path("steps/%012d.arrow", firstStep);
    }

    /** {@code traces/000000000010.arrow}: operator outputs of the same steps. */
    public static RecordingPath traces(long firstStep) {
        return path("traces/%012d.arrow", firstStep);
    }

    /** {@code detectors/000000000010.arrow}: norms and sketches of the same steps' gradients. */
    public static RecordingPath detectors(long firstStep) {
        return path("detectors/%012d.arrow", firstStep);
    }

    /** {@code updates/000000000017.update}: the combined gradient of this step. */
    public static RecordingPath update(long step) {
        return path("updates/%012d.update", step);
    }

    public static RecordingPath stateModel(StateIndex state) {
        return path("states/%012d/model.safetensors", state.value());
    }

    public static RecordingPath stateOptimizer(StateIndex state) {
        return path("states/%012d/optimizer.safetensors", state.value());
    }

    public static RecordingPath stateScalars(StateIndex state) {
        return path("states/%012d/scalars.json", state.value());
    }

    public static RecordingPath commitment(long sequence) {
        return path("commitments/%04d.bin", sequence);
    }

    public static RecordingPath commitmentBundle(long sequence) {
        return path("commitments/%04d.sigstore.json", sequence);
    }

    public static RecordingPath released(String name) {
        return new RecordingPath(RELEASED + "/" + name);
    }

    /** Step that an {@code updates/} file belongs to; empty for any other path. */
    public static OptionalLong updateStep(RecordingPath path) {
        Matcher name = UPDATE.matcher(path.text());
        return name.matches() ? OptionalLong.of(Long.parseLong(name.group(1))) : OptionalLong.empty();
    }

    /** Index of the state that a file belongs to; empty for any other path. */
    public static OptionalLong stateIndex(RecordingPath path) {
        Matcher name = STATE.matcher(path.text());
        return name.matches() ? OptionalLong.of(Long.parseLong(name.group(1))) : OptionalLong.empty();
    }

    /** Sequence of the commitment that a file belongs to; empty for any other path. */
    public static OptionalLong commitmentSequence(RecordingPath path) {
        Matcher name = COMMITMENT.matcher(path.text());
        return name.matches() ? OptionalLong.of(Long.parseLong(name.group(1))) : OptionalLong.empty();
    }
}
