package org.bitwitness.kernels.gpu.backend;

import static org.bitwitness.kernels.gpu.backend.Args.arg;

import java.util.Optional;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.gpu.Block;
import org.bitwitness.kernels.gpu.GpuBuffer;
import org.bitwitness.kernels.gpu.Grid;
import org.bitwitness.kernels.gpu.KernelArg;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.LinearInputGradient;
import org.bitwitness.kernels.op.LinearWeightGradient;
import org.bitwitness.kernels.op.WeightLayout;

/** Launches of {@code linear.cu}: which storage order and which tile a product takes. */
final class LinearLaunches {
    private static final int LARGE = 128;
    private static final int SMALL = 32;

    private final DeviceMemory memory;
    private final Launcher launcher;
    private final Columns columns;
    private final int largeTilesFrom;

    /** C [m, n] = DOT over k. */
    private record Sizes(int m, int n, int k) {}

    /**
     * Launches over {@code memory}.
     *
     * @param largeTilesFrom so many large tiles keep a card busy; a smaller product takes small tiles, which spread over more
     *     of its processors
     */
    LinearLaunches(DeviceMemory memory, Launcher launcher, Columns columns, int largeTilesFrom) {
        this.memory = memory;
        this.launcher = launcher;
        this.columns = columns;
        this.largeTilesFrom = largeTilesFrom;
    }

    void forward(Linear op) {
        Sizes sizes = new Sizes(op.x().rows(), op.y().columns(), op.x().columns());
        String order = op.layout() == WeightLayout.IN_OUT ? "nn" : "nt";
        memory.run(o -> {
            KernelArg bias = op.bias().map(b -> arg(o.read(b))).orElse(KernelArg.none());
            product(order, sizes, o.read(op.x()), o.read(op.weight()), o.write(op.y()), bias, false);
        });
    }

    void inputGradient(LinearInputGradient op) {
        Sizes sizes = new Sizes(op.dy().rows(), op.dx().columns(), op.dy().columns());
        String order = op.layout() == WeightLayout.IN_OUT ? "nt" : "nn";
        memory.run(o -> {
            GpuBuffer dy = o.read(op.dy());
            GpuBuffer weight = o.read(op.weight());
            if (!op.add()) {
                product(order, sizes, dy, weight, o.write(op.dx()), KernelArg.none(), false);
            } else if (sizes.k() <= Launcher.CHUNK) {
                product(order, sizes, dy, weight, o.update(op.dx()), KernelArg.none(), true);
            } else {
                // The kernel keeps its total in C, so what C holds cannot be added to before the DOT is complete.
                GpuBuffer dot = o.scratch(4L * op.dx().size());
                product(order, sizes, dy, weight, dot, KernelArg.none(), false);
                int n = op.dx().size();
                launcher.elements("add_tensors", n, arg(o.update(op.dx())), arg(dot), arg(n));
            }
        });
    }

    void weightGradient(LinearWeightGradient op) {
        boolean inOut = op.layout() == WeightLayout.IN_OUT;
        Tensor a = inOut ? op.x() : op.dy();
        Tensor b = inOut ? op.dy() : op.x();
        Sizes sizes = new Sizes(a.columns(), b.columns(), a.rows());
        memory.run(o -> {
            product("tn", sizes, o.read(a), o.read(b), o.write(op.dWeight()), KernelArg.none(), false);
            Optional<Tensor> dBias = op.dBias();
            dBias.ifPresent(d -> columns.sums(o, op.dy(), d));
        });
    }

    private void product(String order, Sizes s, GpuBuffer a, GpuBuffer b, GpuBuffer c, KernelArg bias, boolean addTo) {
        int side = (long) Math.ceilDiv(s.m, LARGE) * Math.ceilDiv(s.n, LARGE) >= largeTilesFrom ? LARGE : SMALL;
        boolean even = s.m % 4 == 0 && s.n % 4 == 0 && s.k % 4 == 0;
        String kernel = "linear_" + order + "_" + side + (even ? "" : "_odd");
        launcher.grid(
                kernel,
                Grid.of(Math.ceilDiv(s.n, side), Math.ceilDiv(s.m, side)),
                Block.of(side == LARGE ? 256 : 64),
                arg(a),
                arg(b),
                arg(c),
                bias,
                arg(s.m),
                arg(s.n),
                arg(s.k),
                arg(addTo ? 1 : 0));
    }
}
