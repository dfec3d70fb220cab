package org.bitwitness.kernels.gpu.backend;

import static org.bitwitness.kernels.gpu.backend.Args.arg;

import java.util.Arrays;
import org.bitwitness.kernels.MicroBatch;
import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.gpu.GpuBuffer;
import org.bitwitness.kernels.gpu.KernelArg;
import org.bitwitness.kernels.op.Embedding;
import org.bitwitness.kernels.op.EmbeddingGradient;

/** Launches of {@code embedding.cu}. */
final class EmbeddingLaunches {
    private final DeviceMemory memory;
    private final Launcher launcher;

    EmbeddingLaunches(DeviceMemory memory, Launcher launcher) {
        this.memory = memory;
        this.launcher = launcher;
    }

    void forward(Embedding op, OperatorContext context) {
        MicroBatch batch = context.batch();
        op.requireBatch(batch);
        memory.run(o -> {
            KernelArg positions = op.positions().map(p -> arg(o.read(p))).orElse(KernelArg.none());
            launcher.elements(
                    "embedding",
                    Math.ceilDiv(op.out().size(), 4),
                    Launcher.join(
                            new KernelArg[] {
                                arg(upload(o, batch.ids())),
                                arg(o.read(op.tokens())),
                                positions,
                                arg(o.write(op.out())),
                                arg(batch.tokens()),
                                arg(batch.length()),
                                arg(op.tokens().columns())
                            },
                            Launcher.dropout(op.dropout(), context)));
        });
    }

    void backward(EmbeddingGradient op, OperatorContext context) {
        MicroBatch batch = context.batch();
        op.requireBatch(batch);
        int[] positions = new int[batch.tokens()];
        Arrays.setAll(positions, n -> n % batch.length());
        memory.run(o -> {
            oneHotDot(o, op, context, batch.ids(), op.dTokens(), op.add());
            op.dPositions().ifPresent(d -> oneHotDot(o, op, context, positions, d, false));
        });
    }

    private void oneHotDot(
            DeviceMemory.Operands o,
            EmbeddingGradient op,
            OperatorContext context,
            int[] rowOfToken,
            Tensor out,
            boolean add) {
        ByRow byRow = ByRow.of(rowOfToken, out.rows());
        launcher.elements(
                "embedding_gradient",
                out.size(),
                Launcher.join(
                        new KernelArg[] {
                            arg(upload(o, byRow.order)),
                            arg(upload(o, byRow.start)),
                            arg(o.read(op.dOut())),
                            arg(add ? o.update(out) : o.write(out)),
                            arg(out.rows()),
                            arg(out.columns()),
                            arg(add ? 1 : 0)
                        },
                        Launcher.dropout(op.dropout(), context)));
    }

    private GpuBuffer upload(DeviceMemory.Operands o, int[] data) {
        GpuBuffer buffer = o.scratch(4L * data.length);
        memory.device().copyIn(data, 0, data.length, buffer, 0);
        return buffer;
    }

    /** Tokens sorted by the row they belong to, ascending inside a row: row r has order[start[r]] … order[start[r + 1] − 1]. */
    private static final class ByRow {
        private final int[] order;
        private final int[] start;

        private ByRow(int[] order, int[] start) {
            this.order = order;
            this.start = start;
        }

        static ByRow of(int[] rowOfToken, int rows) {
            int[] start = new int[rows + 1];
            for (int row : rowOfToken) {
                start[row + 1]++;
            }
            for (int row = 0; row < rows; row++) {
                start[row + 1] += start[row];
            }
            int[] next = start.clone();
            int[] order = new int[rowOfToken.length];
            for (int n = 0; n < rowOfToken.length; n++) {
                order[next[rowOfToken[n]]++] = n;
            }
            return new ByRow(order, start);
        }
    }
}
