package org.bitwitness.protocol.format;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Confirmation;
import org.bitwitness.protocol.EvidenceGrade;
import org.bitwitness.protocol.FirstDifference;
import org.bitwitness.protocol.Phase;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.ReplayProof;
import org.bitwitness.protocol.ReplayReport;
import org.bitwitness.protocol.Resolution;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.WorkerId;

/**
 * The one JSON spelling of a replay report: cluster tasks return it, the command line prints it. {@code seconds} and
 * {@code tokensPerSecond} follow from {@code wallNanos} and {@code tokens}; a report where they do not is refused.
 */
public final class ReplayReportJson {
    private static final String WHAT = "replay report";
    private static final long MAX_NANOS = Long.MAX_VALUE;

    private ReplayReportJson() {}

    public static String write(ReplayReport r) {
        return toJson(r).toText();
    }

    /** The report as a value, for embedding. */
    public static Json.Obj toJson(ReplayReport r) {
        Json.Builder out = Json.object()
                .put("unit", r.unit().text())
                .put("verdict", r.verdict().name());
        r.grade().ifPresent(grade -> out.put("grade", grade.name()));
        out.put("backend", r.backend()).put("profile", r.profile().text());
        r.confirmedBy()
                .ifPresent(confirmation -> out.put(
                        "confirmedBy",
                        Json.object()
                                .put("backend", confirmation.backend())
                                .put("result", confirmation.result().text())
                                .build()));
        out.put("expectedRoot", r.expectedRoot().hex())
                .put("computedRoot", r.computedRoot().hex());
        r.firstDifference().ifPresent(difference -> out.put("firstDifference", toJson(difference)));
        r.reason().ifPresent(reason -> out.put("reason", reason));
        return out.put(
                        "replayProof",
                        Json.object()
                                .put("kind", r.proof().kind().text())
                                .put("root", r.proof().root().hex())
                                .put("leaves", r.proof().leaves())
                                .build())
                .put("selfTestDigest", r.selfTestDigest().hex())
                .put("environmentDigest", r.environmentDigest().hex())
                .put("startedOn", r.startedOn().toString())
                .put("finishedOn", r.finishedOn().toString())
                .put("stepsReplayed", r.stepsReplayed())
                .put("tokens", r.tokens())
                .put("wallNanos", r.wall().toNanos())
                .put("seconds", seconds(r.wall()))
                .put("tokensPerSecond", tokensPerSecond(r.tokens(), r.wall()))
                .build();
    }

    /** The difference as a value, for embedding. */
    public static Json.Obj toJson(FirstDifference d) {
        Json.Builder out = Json.object().put("resolution", d.resolution().text());
        d.step().ifPresent(step -> out.put("step", step.value()));
        d.phase().ifPresent(phase -> out.put("phase", phase.text()));
        d.worker().ifPresent(worker -> out.put("worker", worker.value()));
        d.microBatch().ifPresent(microBatch -> out.put("microBatch", microBatch));
        d.operator().ifPresent(operator -> out.put("operator", operator));
        d.tensor().ifPresent(tensor -> out.put("tensor", tensor));
        d.index().ifPresent(index -> out.put("index", index));
        d.expectedBits().ifPresent(bits -> out.put("expectedBits", bits));
        d.computedBits().ifPresent(bits -> out.put("computedBits", bits));
        d.note().ifPresent(note -> out.put("note", note));
        return out.build();
    }

    /** Reads {@link #write}. */
    public static ReplayReport read(String text) throws ProtocolException {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        ReplayReport report = fromJson(WHAT, StrictJson.object(utf8, WHAT));
        if (!write(report).equals(text)) {
            throw ProtocolException.malformed("%s: not the one spelling of what it says", WHAT);
        }
        return report;
    }

    /**
     * Reads {@link #toJson(ReplayReport)} where it is embedded; members may stand in any order.
     *
     * @param what a name for messages
     */
    public static ReplayReport fromJson(String what, Json.Obj json) throws ProtocolException {
        JsonFields in = JsonFields.of(what, json);
        String unit = in.text("unit");
        Verdict verdict = word(in, "verdict", Verdict.values());
        Optional<EvidenceGrade> grade =
                in.has("grade") ? Optional.of(word(in, "grade", EvidenceGrade.values())) : Optional.empty();
        String backend = in.text("backend");
        String profile = in.text("profile");
        Optional<Confirmation> confirmedBy =
                in.has("confirmedBy") ? Optional.of(confirmation(in.object("confirmedBy"))) : Optional.empty();
        Sha256 expectedRoot = in.digest("expectedRoot");
        Sha256 computedRoot = in.digest("computedRoot");
        Optional<FirstDifference> difference =
                in.has("firstDifference") ? Optional.of(difference(in.object("firstDifference"))) : Optional.empty();
        Optional<String> reason = in.optionalText("reason");
        ReplayProof proof = proof(in.object("replayProof"));
        Sha256 selfTest = in.digest("selfTestDigest");
        Sha256 environment = in.digest("environmentDigest");
        Instant startedOn = instant(in, "startedOn");
        Instant finishedOn = instant(in, "finishedOn");
        long steps = in.integer("stepsReplayed", 0, Long.MAX_VALUE);
        long tokens = in.integer("tokens", 0, Long.MAX_VALUE);
        Duration wall = Duration.ofNanos(in.integer("wallNanos", 0, MAX_NANOS));
        in.number("seconds");
        in.number("tokensPerSecond");
        ReplayReport report = build(
                in,
                () -> new ReplayReport(
                        AuditUnit.parse(unit),
                        verdict,
                        grade,
                        backend,
                        new ProfileId(profile),
                        confirmedBy,
                        expectedRoot,
                        computedRoot,
                        difference,
                        reason,
                        proof,
                        selfTest,
                        environment,
                        startedOn,
                        finishedOn,
                        steps,
                        tokens,
                        wall));
        if (!toJson(report).sorted().equals(json.sorted())) {
            throw ProtocolException.malformed("%s: not the one spelling of what it says", what);
        }
        return report;
    }

    private static FirstDifference difference(JsonFields in) throws ProtocolException {
        String resolution = in.text("resolution");
        Optional<String> phase = in.optionalText("phase");
        Optional<Long> step = optionalInteger(in, "step", Long.MAX_VALUE);
        Optional<Long> worker = optionalInteger(in, "worker", WorkerId.MAX);
        Optional<Long> microBatch = optionalInteger(in, "microBatch", Integer.MAX_VALUE);
        Optional<Long> index = optionalInteger(in, "index", Long.MAX_VALUE);
        Optional<String> operator = in.optionalText("operator");
        Optional<String> tensor = in.optionalText("tensor");
        Optional<String> expected = in.optionalText("expectedBits");
        Optional<String> computed = in.optionalText("computedBits");
        Optional<String> note = in.optionalText("note");
        return build(in, () -> {
            FirstDifference.Builder out = FirstDifference.at(Resolution.ofText(resolution));
            step.ifPresent(value -> out.step(new StepIndex(value)));
            phase.ifPresent(value -> out.phase(Phase.ofText(value)));
            worker.ifPresent(value -> out.worker(new WorkerId(value.intValue())));
            microBatch.ifPresent(value -> out.microBatch(value.intValue()));
            operator.ifPresent(out::operator);
            tensor.ifPresent(out::tensor);
            index.ifPresent(out::index);
            expected.ifPresent(out::expectedBits);
            computed.ifPresent(out::computedBits);
            note.ifPresent(out::note);
            return out.build();
        });
    }

    private static Optional<Long> optionalInteger(JsonFields in, String key, long max) throws ProtocolException {
        return in.has(key) ? Optional.of(in.integer(key, 0, max)) : Optional.empty();
    }

    private static Confirmation confirmation(JsonFields in) throws ProtocolException {
        String backend = in.text("backend");
        String result = in.word(
                "result",
                Stream.of(Confirmation.Result.values())
                        .map(Confirmation.Result::text)
                        .toList());
        in.end();
        return new Confirmation(
                backend,
                Stream.of(Confirmation.Result.values())
                        .filter(value -> value.text().equals(result))
                        .findFirst()
                        .orElseThrow());
    }

    private static ReplayProof proof(JsonFields in) throws ProtocolException {
        String kind = in.word(
                "kind",
                Stream.of(ReplayProof.Kind.values()).map(ReplayProof.Kind::text).toList());
        Sha256 root = in.digest("root");
        long leaves = in.integer("leaves", 0, Long.MAX_VALUE);
        in.end();
        return new ReplayProof(
                Stream.of(ReplayProof.Kind.values())
                        .filter(value -> value.text().equals(kind))
                        .findFirst()
                        .orElseThrow(),
                root,
                leaves);
    }

    private static Instant instant(JsonFields in, String key) throws ProtocolException {
        try {
            return Instant.parse(in.text(key));
        } catch (DateTimeParseException e) {
            throw new ProtocolException(
                    ProtocolException.Kind.MALFORMED,
                    in.refuse(key, "should be a time like 2026-01-02T03:04:05Z").getMessage(),
                    e);
        }
    }

    private static <E extends Enum<E>> E word(JsonFields in, String key, E[] values) throws ProtocolException {
        String found = in.word(key, Stream.of(values).map(Enum::name).toList());
        return Stream.of(values)
                .filter(value -> value.name().equals(found))
                .findFirst()
                .orElseThrow();
    }

    private static <T> T build(JsonFields in, Supplier<T> constructor) throws ProtocolException {
        in.end();
        try {
            return constructor.get();
        } catch (IllegalArgumentException e) {
            throw new ProtocolException(ProtocolException.Kind.MALFORMED, in.path() + ": " + e.getMessage(), e);
        }
    }

    /** Milliseconds are enough for people; the exact value is {@code wallNanos}. */
    private static Json seconds(Duration wall) {
        return new Json.Decimal(BigDecimal.valueOf(wall.toNanos(), 9).setScale(3, RoundingMode.HALF_UP));
    }

    private static Json tokensPerSecond(long tokens, Duration wall) {
        BigDecimal perSecond = wall.isZero()
                ? BigDecimal.ZERO
                : BigDecimal.valueOf(tokens).divide(BigDecimal.valueOf(wall.toNanos(), 9), 1, RoundingMode.HALF_UP);
        return new Json.Decimal(perSecond.setScale(1, RoundingMode.HALF_UP));
    }
}
