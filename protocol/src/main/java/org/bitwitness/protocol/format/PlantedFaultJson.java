package org.bitwitness.protocol.format;

import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.record.PlantedFault;
import org.bitwitness.protocol.record.PlantedFault.BitPlace;
import org.bitwitness.protocol.record.PlantedFault.GradientBit;
import org.bitwitness.protocol.record.PlantedFault.OtherLearningRate;
import org.bitwitness.protocol.record.PlantedFault.ReductionBit;
import org.bitwitness.protocol.record.PlantedFault.ScaledGradient;
import org.bitwitness.protocol.record.PlantedFault.StateBit;
import org.bitwitness.protocol.record.PlantedFault.SwappedMicroBatches;

/**
 * The one JSON spelling of a planted fault; factors are hex digits of their bits, as everywhere in signed JSON.
 *
 * <pre>
 * {"bit":3,"element":5,"kind":"gradient-bit","step":17,"tensor":"transformer.wte.weight","worker":2}
 * </pre>
 */
public final class PlantedFaultJson {
    private static final List<String> KINDS = List.of(
            ScaledGradient.KIND,
            GradientBit.KIND,
            SwappedMicroBatches.KIND,
            ReductionBit.KIND,
            OtherLearningRate.KIND,
            StateBit.KIND);
    private static final long MAX_STEP = 1L << 40;
    private static final int MAX_MICRO_BATCH = 1 << 16;

    private PlantedFaultJson() {}

    public static Json.Obj toJson(PlantedFault fault) {
        Json.Builder out =
                Json.object().put("kind", fault.kind()).put("step", fault.step().value());
        fault.worker().ifPresent(worker -> out.put("worker", worker.value()));
        switch (fault) {
            case ScaledGradient scaled ->
                out.put("factor", hex(8, Float.floatToRawIntBits(scaled.factor()) & 0xFFFF_FFFFL));
            case GradientBit bit -> place(out, bit.place());
            case SwappedMicroBatches swapped ->
                out.put("first", swapped.first()).put("second", swapped.second());
            case ReductionBit bit -> place(out, bit.place());
            case OtherLearningRate rate -> out.put("factor", hex(16, Double.doubleToRawLongBits(rate.factor())));
            case StateBit bit -> place(out, bit.place());
        }
        return out.build().sorted();
    }

    /** Reads {@link #toJson}; an unknown field is refused. */
    public static PlantedFault read(JsonFields in) throws ProtocolException {
        String kind = in.word("kind", KINDS);
        StepIndex step = new StepIndex(in.integer("step", 0, MAX_STEP));
        PlantedFault fault = switch (kind) {
            case ScaledGradient.KIND -> {
                float factor = in.float32("factor");
                WorkerId worker = worker(in);
                yield value(in, () -> new ScaledGradient(step, worker, factor));
            }
            case GradientBit.KIND -> new GradientBit(step, worker(in), place(in));
            case SwappedMicroBatches.KIND -> {
                int first = in.integer32("first", 0, MAX_MICRO_BATCH);
                int second = in.integer32("second", 0, MAX_MICRO_BATCH);
                WorkerId worker = worker(in);
                yield value(in, () -> new SwappedMicroBatches(step, worker, first, second));
            }
            case ReductionBit.KIND -> new ReductionBit(step, place(in));
            case OtherLearningRate.KIND -> {
                double factor = in.double64("factor");
                yield value(in, () -> new OtherLearningRate(step, factor));
            }
            case StateBit.KIND -> new StateBit(step, place(in));
            default -> throw new IllegalStateException("a kind that is in the list: " + kind);
        };
        in.end();
        return fault;
    }

    private static WorkerId worker(JsonFields in) throws ProtocolException {
        return new WorkerId(in.integer32("worker", 0, WorkerId.MAX));
    }

    private static void place(Json.Builder out, BitPlace place) {
        out.put("tensor", place.tensor()).put("element", place.element()).put("bit", place.bit());
    }

    private static BitPlace place(JsonFields in) throws ProtocolException {
        String tensor = in.text("tensor");
        long element = in.integer("element", 0, Integer.MAX_VALUE);
        int bit = in.integer32("bit", 0, Integer.SIZE - 1);
        return value(in, () -> new BitPlace(tensor, element, bit));
    }

    private static <T> T value(JsonFields in, Supplier<T> constructor) throws ProtocolException {
        try {
            return constructor.get();
        } catch (IllegalArgumentException e) {
            throw new ProtocolException(ProtocolException.Kind.MALFORMED, in.path() + ": " + e.getMessage(), e);
        }
    }

    private static String hex(int digits, long bits) {
        return String.format(Locale.ROOT, "%0" + digits + "x", bits);
    }
}
