package org.bitwitness.kernels.gpu.backend;

import static org.bitwitness.kernels.gpu.backend.Args.arg;

import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.gpu.Block;
import org.bitwitness.kernels.gpu.GpuBuffer;
import org.bitwitness.kernels.gpu.Grid;
import org.bitwitness.kernels.gpu.KernelArg;
import org.bitwitness.kernels.op.Attention;
import org.bitwitness.kernels.op.AttentionGradient;
import org.bitwitness.kernels.op.AttentionShape;
import org.bitwitness.kernels.op.HeadsView;

/** Launches of {@code attention.cu}. */
final class AttentionLaunches {
    private static final int TILE = 64;
    private static final int THREADS = 256;

    private final DeviceMemory memory;
    private final Launcher launcher;

    AttentionLaunches(DeviceMemory memory, Launcher launcher) {
        this.memory = memory;
        this.launcher = launcher;
    }

    void forward(Attention op, OperatorContext context) {
        memory.run(o -> {
            KernelArg[] queriesAndKeys = Launcher.join(view(o, op.q()), view(o, op.k()));
            launcher.grid(
                    "attention_stats",
                    Grid.of(tiles(op.shape(), op.shape().heads())),
                    Block.of(THREADS),
                    Launcher.join(
                            Launcher.join(queriesAndKeys, arg(o.write(op.rowMax())), arg(o.write(op.rowSum()))),
                            sizes(op)));
            KernelArg[] inputs = Launcher.join(inputs(o, op), KernelArg.none(), arg(o.read(op.rowMax())));
            inputs = Launcher.join(inputs, arg(o.read(op.rowSum())), KernelArg.none(), arg(o.write(op.out())));
            product(
                    "attention_out",
                    op,
                    context,
                    Launcher.join(inputs, arg(op.out().columns())));
        });
    }

    void backward(AttentionGradient op, OperatorContext context) {
        Attention forward = op.forward();
        AttentionShape shape = forward.shape();
        memory.run(o -> {
            GpuBuffer delta = o.scratch(4L * shape.rows());
            launcher.warpPerRow(
                    "attention_delta",
                    shape.rows(),
                    arg(o.read(op.dOut())),
                    arg(o.read(forward.out())),
                    arg(delta),
                    arg(shape.rows()),
                    arg(shape.length()),
                    arg(shape.heads()),
                    arg(shape.headDim()));
            KernelArg[] inputs = Launcher.join(
                    inputs(o, forward),
                    arg(o.read(op.dOut())),
                    arg(o.read(forward.rowMax())),
                    arg(o.read(forward.rowSum())),
                    arg(delta));
            product("attention_dq", forward, context, Launcher.join(inputs, target(o, op.dq())));
            product("attention_dk", forward, context, Launcher.join(inputs, target(o, op.dk())));
            product("attention_dv", forward, context, Launcher.join(inputs, target(o, op.dv())));
        });
    }

    private void product(String kernel, Attention op, OperatorContext context, KernelArg[] places) {
        AttentionShape shape = op.shape();
        boolean byQuery = kernel.equals("attention_out") || kernel.equals("attention_dq");
        launcher.grid(
                kernel,
                Grid.of(tiles(shape, byQuery ? shape.heads() : shape.kvHeads()), Math.ceilDiv(shape.headDim(), TILE)),
                Block.of(THREADS),
                Launcher.join(Launcher.join(places, sizes(op)), Launcher.dropout(op.dropout(), context)));
    }

    private static int tiles(AttentionShape shape, int heads) {
        return Math.multiplyExact(Math.ceilDiv(shape.length(), TILE), Math.multiplyExact(shape.sequences(), heads));
    }

    private static KernelArg[] inputs(DeviceMemory.Operands o, Attention op) {
        return Launcher.join(Launcher.join(view(o, op.q()), view(o, op.k())), view(o, op.v()));
    }

    private static KernelArg[] sizes(Attention op) {
        AttentionShape shape = op.shape();
        return new KernelArg[] {
            arg(shape.length()), arg(shape.heads()), arg(shape.group()), arg(shape.headDim()), arg(op.scale())
        };
    }

    private static KernelArg[] view(DeviceMemory.Operands o, HeadsView view) {
        return new KernelArg[] {arg(o.read(view.tensor()), 4L * view.offset()), arg(view.stride())};
    }

    private static KernelArg[] target(DeviceMemory.Operands o, HeadsView view) {
        return new KernelArg[] {arg(o.write(view.tensor()), 4L * view.offset()), arg(view.stride())};
    }
}
