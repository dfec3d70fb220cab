package org.bitwitness.kernels.gpu.backend;

import static org.bitwitness.kernels.gpu.backend.Args.arg;

import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.gpu.GpuBuffer;
import org.bitwitness.kernels.op.LayerNorm;
import org.bitwitness.kernels.op.LayerNormGradient;
import org.bitwitness.kernels.op.RmsNorm;
import org.bitwitness.kernels.op.RmsNormGradient;

/** Launches of {@code layernorm.cu} and {@code rmsnorm.cu}. */
final class NormLaunches {
    private final DeviceMemory memory;
    private final Launcher launcher;
    private final Columns columns;

    NormLaunches(DeviceMemory memory, Launcher launcher, Columns columns) {
        this.memory = memory;
        this.launcher = launcher;
        this.columns = columns;
    }

    void layerNorm(LayerNorm op) {
        memory.run(o -> launcher.warpPerRow(
                "layernorm",
                op.x().rows(),
                arg(o.read(op.x())),
                arg(o.read(op.gain())),
                arg(o.read(op.bias())),
                arg(inverse(op.x())),
                arg(op.eps()),
                arg(o.write(op.y())),
                arg(o.write(op.mean())),
                arg(o.write(op.rstd())),
                arg(op.x().rows()),
                arg(op.x().columns())));
    }

    void layerNormGradient(LayerNormGradient op) {
        memory.run(o -> {
            launcher.warpPerRow(
                    "layernorm_gradient",
                    op.x().rows(),
                    arg(o.read(op.dy())),
                    arg(o.read(op.x())),
                    arg(o.read(op.gain())),
                    arg(o.read(op.mean())),
                    arg(o.read(op.rstd())),
                    arg(inverse(op.x())),
                    arg(op.add() ? 1 : 0),
                    arg(sumInto(o, op.dx(), op.add())),
                    arg(op.x().rows()),
                    arg(op.x().columns()));
            columns.layerNormGain(o, op);
            columns.sums(o, op.dy(), op.dBias());
        });
    }

    void rmsNorm(RmsNorm op) {
        memory.run(o -> launcher.warpPerRow(
                "rmsnorm",
                op.x().rows(),
                arg(o.read(op.x())),
                arg(o.read(op.gain())),
                arg(inverse(op.x())),
                arg(op.eps()),
                arg(o.write(op.y())),
                arg(o.write(op.rstd())),
                arg(op.x().rows()),
                arg(op.x().columns())));
    }

    void rmsNormGradient(RmsNormGradient op) {
        memory.run(o -> {
            launcher.warpPerRow(
                    "rmsnorm_gradient",
                    op.x().rows(),
                    arg(o.read(op.dy())),
                    arg(o.read(op.x())),
                    arg(o.read(op.gain())),
                    arg(o.read(op.rstd())),
                    arg(inverse(op.x())),
                    arg(op.add() ? 1 : 0),
                    arg(sumInto(o, op.dx(), op.add())),
                    arg(op.x().rows()),
                    arg(op.x().columns()));
            columns.rmsNormGain(o, op);
        });
    }

    private static GpuBuffer sumInto(DeviceMemory.Operands o, Tensor tensor, boolean add) {
        return add ? o.update(tensor) : o.write(tensor);
    }

    /** invN = (float)(1.0/channels). */
    private static float inverse(Tensor x) {
        return (float) (1.0 / x.columns());
    }
}
