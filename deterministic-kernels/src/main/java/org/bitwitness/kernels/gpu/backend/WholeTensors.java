package org.bitwitness.kernels.gpu.backend;

import static org.bitwitness.kernels.gpu.backend.Args.arg;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.bitwitness.kernels.AdamWConstants;
import org.bitwitness.kernels.AdamWSlot;
import org.bitwitness.kernels.SgdConstants;
import org.bitwitness.kernels.SgdSlot;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.gpu.Block;
import org.bitwitness.kernels.gpu.GpuBuffer;
import org.bitwitness.kernels.gpu.Grid;
import org.bitwitness.kernels.gpu.KernelArg;

/**
 * Launches of {@code sums.cu}, {@code combining.cu}, {@code adamw.cu}, {@code sgd.cu} and {@code bf16.cu}: reductions over, and
 * updates of, whole tensors.
 */
final class WholeTensors {
    private static final int FINITE_THREADS = 256;

    private final DeviceMemory memory;
    private final Launcher launcher;

    WholeTensors(DeviceMemory memory, Launcher launcher) {
        this.memory = memory;
        this.launcher = launcher;
    }

    void add(List<Tensor> sum, List<Tensor> addend) {
        memory.run(o -> {
            for (int t = 0; t < sum.size(); t++) {
                int n = sum.get(t).size();
                launcher.elements("add_tensors", n, arg(o.update(sum.get(t))), arg(o.read(addend.get(t))), arg(n));
            }
        });
    }

    void scale(List<Tensor> tensors, float factor) {
        memory.run(o -> {
            for (Tensor tensor : tensors) {
                int n = tensor.size();
                launcher.elements("scale_tensor", n, arg(o.update(tensor)), arg(factor), arg(n));
            }
        });
    }

    double sumOfSquares(List<Tensor> tensors) {
        return chain(tensors, 0.0, segments("segment_squares", tensors));
    }

    double sum(Tensor losses, double start) {
        return chain(List.of(losses), start, segments("segment_sums", List.of(losses)));
    }

    /** Queues what writes a float for each segment of tensor {@code index} to {@code sums}. */
    interface SegmentSums {
        void launch(DeviceMemory.Operands o, int index, KernelArg sums);
    }

    private SegmentSums segments(String kernel, List<Tensor> tensors) {
        return (o, index, sums) -> {
            Tensor tensor = tensors.get(index);
            launcher.blockPerRow(
                    kernel, Launcher.segments(tensor.size()), arg(o.read(tensor)), arg(tensor.size()), sums);
        };
    }

    /** The binary64 chain over the segments of all tensors, in the order given. */
    double chain(List<Tensor> tensors, double start, SegmentSums each) {
        double[] result = new double[1];
        memory.run(o -> {
            int all =
                    tensors.stream().mapToInt(t -> Launcher.segments(t.size())).reduce(0, Math::addExact);
            GpuBuffer sums = o.scratch(4L * all);
            int at = 0;
            for (int i = 0; i < tensors.size(); i++) {
                each.launch(o, i, arg(sums, 4L * at));
                at += Launcher.segments(tensors.get(i).size());
            }
            GpuBuffer total = o.scratch(Double.BYTES);
            launcher.grid("chain", Grid.of(1), Block.of(1), arg(sums), arg(all), arg(start), arg(total));
            memory.device().copyOut(total, 0, MemorySegment.ofArray(result));
        });
        return result[0];
    }

    boolean allFinite(List<Tensor> tensors) {
        boolean[] finite = {true};
        memory.run(o -> {
            Flags flags = new Flags(o, tensors);
            for (Tensor tensor : tensors) {
                launcher.blockPerRow(
                        "not_finite",
                        Launcher.segments(tensor.size()),
                        arg(o.read(tensor)),
                        arg(tensor.size()),
                        flags.next(tensor));
            }
            finite[0] = flags.noneSet();
        });
        return finite[0];
    }

    boolean adamW(List<AdamWSlot> slots, AdamWConstants constants) {
        return updateAllOrNone(
                "adamw",
                slots.stream()
                        .map(slot -> new Update(
                                List.of(slot.parameter(), slot.m(), slot.v()),
                                slot.gradient(),
                                constants(constants, slot)))
                        .toList());
    }

    private static KernelArg[] constants(AdamWConstants k, AdamWSlot slot) {
        return new KernelArg[] {
            arg(k.beta1()),
            arg(k.beta2()),
            arg(k.oneMinusBeta1()),
            arg(k.oneMinusBeta2()),
            arg(k.eps()),
            arg(k.step()),
            arg(k.rootCorrection()),
            arg(slot.decays() ? k.decay() : 1f),
            arg(k.clip())
        };
    }

    boolean sgd(List<SgdSlot> slots, SgdConstants constants) {
        return updateAllOrNone(
                "sgd",
                slots.stream()
                        .map(slot -> new Update(
                                List.of(slot.parameter(), slot.m()), slot.gradient(), constants(constants, slot)))
                        .toList());
    }

    private static KernelArg[] constants(SgdConstants k, SgdSlot slot) {
        return new KernelArg[] {
            arg(k.momentum()),
            arg(k.keep()),
            arg(k.step()),
            arg(k.weightDecay()),
            arg(k.clip()),
            arg(slot.decays() ? 1 : 0),
            arg(k.nesterov() ? 1 : 0)
        };
    }

    /**
     * One parameter's update, as its two kernels take it.
     *
     * @param state the parameter, then its moments
     */
    @SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
    private record Update(List<Tensor> state, Tensor gradient, KernelArg[] constants) {
        Tensor parameter() {
            return state.getFirst();
        }

        int size() {
            return parameter().size();
        }

        /** Places of state and gradient, the state's by {@code place}, then their size. */
        KernelArg[] arguments(DeviceMemory.Operands o, Function<Tensor, GpuBuffer> place) {
            List<KernelArg> out = new ArrayList<>();
            state.forEach(tensor -> out.add(arg(place.apply(tensor))));
            out.add(arg(o.read(gradient)));
            out.add(arg(size()));
            return out.toArray(KernelArg[]::new);
        }
    }

    /** Runs {@code NAME_finite}, which only looks, on all parameters, and {@code NAME} if it found nothing. */
    private boolean updateAllOrNone(String name, List<Update> updates) {
        boolean[] finite = {true};
        memory.run(o -> {
            Flags flags = new Flags(o, updates.stream().map(Update::parameter).toList());
            for (Update update : updates) {
                launcher.grid(
                        name + "_finite",
                        Grid.of(Launcher.segments(update.size())),
                        Block.of(FINITE_THREADS),
                        Launcher.join(
                                Launcher.join(update.arguments(o, o::read), flags.next(update.parameter())),
                                update.constants()));
            }
            finite[0] = flags.noneSet();
            if (finite[0]) {
                for (Update update : updates) {
                    launcher.elements(
                            name, update.size(), Launcher.join(update.arguments(o, o::update), update.constants()));
                }
            }
        });
        return finite[0];
    }

    void roundToBf16(List<Tensor> tensors) {
        memory.run(o -> {
            for (Tensor tensor : tensors) {
                int n = tensor.size();
                launcher.elements("round_to_bf16", n, arg(o.update(tensor)), arg(n));
            }
        });
    }

    int[] combineExact(List<Tensor> byWorker, Tensor out) {
        int n = out.size();
        int[] exponents = new int[Launcher.segments(n)];
        int headroom = 32 - Integer.numberOfLeadingZeros(byWorker.size() - 1);
        memory.run(o -> {
            GpuBuffer largest = o.scratch(4L * exponents.length);
            for (int w = 0; w < byWorker.size(); w++) {
                launcher.blockPerRow(
                        "exact_largest",
                        exponents.length,
                        arg(o.read(byWorker.get(w))),
                        arg(n),
                        arg(w == 0 ? 1 : 0),
                        arg(largest));
            }
            GpuBuffer ofSegments = o.scratch(4L * exponents.length);
            launcher.elements(
                    "exact_exponents", exponents.length, arg(largest), arg(ofSegments), arg(exponents.length));
            GpuBuffer sums = o.scratch(8L * n);
            for (int w = 0; w < byWorker.size(); w++) {
                launcher.elements(
                        "exact_add",
                        n,
                        arg(o.read(byWorker.get(w))),
                        arg(n),
                        arg(ofSegments),
                        arg(headroom),
                        arg(w == 0 ? 1 : 0),
                        arg(sums));
            }
            launcher.elements("exact_finish", n, arg(sums), arg(n), arg(ofSegments), arg(headroom), arg(o.write(out)));
            memory.device().copyOut(ofSegments, 0, exponents, 0, exponents.length);
        });
        return exponents;
    }

    /** One word per segment of a list of tensors, set by a kernel where something is wrong. */
    private final class Flags {
        private final GpuBuffer buffer;
        private final int count;
        private int at;

        Flags(DeviceMemory.Operands o, List<Tensor> tensors) {
            this.count =
                    tensors.stream().mapToInt(t -> Launcher.segments(t.size())).reduce(0, Math::addExact);
            this.buffer = o.scratch(4L * count);
        }

        KernelArg next(Tensor tensor) {
            KernelArg place = arg(buffer, 4L * at);
            at += Launcher.segments(tensor.size());
            return place;
        }

        boolean noneSet() {
            int[] found = new int[count];
            memory.device().copyOut(buffer, 0, found, 0, count);
            for (int flag : found) {
                if (flag != 0) {
                    return false;
                }
            }
            return true;
        }
    }
}
