package org.bitwitness.kernels.gpu.backend;

import static org.bitwitness.kernels.gpu.backend.Args.arg;

import java.util.List;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.gpu.GpuBuffer;

/** Launches of {@code robust.cu}. What is decided in binary64 is decided on the host, by whoever calls the backend. */
final class RobustLaunches {
    /** Elements that are sorted at a time: memory for this many of every worker is enough, whatever the size of a tensor. */
    private static final int SORTED_AT_ONCE = 1 << 18;

    private final DeviceMemory memory;
    private final Launcher launcher;
    private final WholeTensors whole;

    RobustLaunches(DeviceMemory memory, Launcher launcher, WholeTensors whole) {
        this.memory = memory;
        this.launcher = launcher;
        this.whole = whole;
    }

    void trimmedMean(List<Tensor> byWorker, int trim, Tensor out) {
        int workers = byWorker.size();
        float inverse = (float) (1.0 / (double) (workers - 2 * trim));
        memory.run(o -> {
            GpuBuffer result = o.write(out);
            for (int first = 0; first < out.size(); first += SORTED_AT_ONCE) {
                int n = Math.min(SORTED_AT_ONCE, out.size() - first);
                GpuBuffer columns = o.scratch(4L * workers * n);
                for (int w = 0; w < workers; w++) {
                    memory.device().copy(o.read(byWorker.get(w)), 4L * first, columns, 4L * w * n, 4L * n);
                }
                launcher.elements(
                        "trimmed_mean",
                        n,
                        arg(columns),
                        arg(workers),
                        arg(trim),
                        arg(inverse),
                        arg(result, 4L * first),
                        arg(n));
            }
        });
    }

    double squaredDistance(List<Tensor> a, List<Tensor> b) {
        return whole.chain(a, 0.0, (o, i, sums) -> {
            int n = a.get(i).size();
            launcher.blockPerRow(
                    "segment_distances",
                    Launcher.segments(n),
                    arg(o.read(a.get(i))),
                    arg(o.read(b.get(i))),
                    arg(n),
                    sums);
        });
    }

    void weightedSum(List<List<Tensor>> terms, float[] weights, List<Tensor> out) {
        memory.run(o -> {
            for (int t = 0; t < out.size(); t++) {
                int n = out.get(t).size();
                for (int w = 0; w < weights.length; w++) {
                    launcher.elements(
                            w == 0 ? "weighted_first" : "weighted_next",
                            n,
                            arg(o.read(terms.get(w).get(t))),
                            arg(weights[w]),
                            arg(o.write(out.get(t))),
                            arg(n));
                }
            }
        });
    }
}
