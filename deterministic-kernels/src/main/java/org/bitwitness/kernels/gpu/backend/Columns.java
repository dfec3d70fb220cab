package org.bitwitness.kernels.gpu.backend;

import static org.bitwitness.kernels.gpu.backend.Args.arg;

import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.gpu.Block;
import org.bitwitness.kernels.gpu.GpuBuffer;
import org.bitwitness.kernels.gpu.Grid;
import org.bitwitness.kernels.gpu.KernelArg;
import org.bitwitness.kernels.op.LayerNormGradient;
import org.bitwitness.kernels.op.RmsNormGradient;

/** Launches of {@code columns.cu}: sums over tokens, chunks side by side, then their totals in order. */
final class Columns {
    private static final int THREADS = 128;

    private final Launcher launcher;

    Columns(Launcher launcher) {
        this.launcher = launcher;
    }

    /** out[c] = DOT over rows(d[n][c], 1). */
    void sums(DeviceMemory.Operands o, Tensor d, Tensor out) {
        run("column_sums", o, d, out, new KernelArg[] {arg(o.read(d))});
    }

    void layerNormGain(DeviceMemory.Operands o, LayerNormGradient op) {
        KernelArg[] inputs = {arg(o.read(op.dy())), arg(o.read(op.x())), arg(o.read(op.mean())), arg(o.read(op.rstd()))
        };
        run("column_layernorm", o, op.dy(), op.dGain(), inputs);
    }

    void rmsNormGain(DeviceMemory.Operands o, RmsNormGradient op) {
        KernelArg[] inputs = {arg(o.read(op.dy())), arg(o.read(op.x())), arg(o.read(op.rstd()))};
        run("column_rmsnorm", o, op.dy(), op.dGain(), inputs);
    }

    private void run(String kernel, DeviceMemory.Operands o, Tensor shape, Tensor out, KernelArg[] inputs) {
        int width = shape.columns();
        int chunks = Launcher.chunks(shape.rows());
        GpuBuffer partial = o.scratch(4L * width * chunks);
        launcher.grid(
                kernel,
                Grid.of(Math.ceilDiv(width, THREADS), chunks),
                Block.of(THREADS),
                Launcher.join(inputs, arg(partial), arg(shape.rows()), arg(width)));
        launcher.elements("column_totals", width, arg(partial), arg(o.write(out)), arg(chunks), arg(width));
    }
}
