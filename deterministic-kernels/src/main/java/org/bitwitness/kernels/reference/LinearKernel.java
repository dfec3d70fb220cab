package org.bitwitness.kernels.reference;

import org.bitwitness.kernels.Tensor;
import org.bitwitness.kernels.op.Linear;
import org.bitwitness.kernels.op.LinearInputGradient;
import org.bitwitness.kernels.op.LinearWeightGradient;
import org.bitwitness.kernels.op.WeightLayout;

/** Linear layer: forward, gradient of the input, gradient of weight and bias. */
final class LinearKernel {
    private LinearKernel() {}

    static void forward(Linear op) {
        int inputs = op.x().columns();
        int outputs = op.y().columns();
        Matrix w = new Matrix(op.weight(), op.layout(), inputs, outputs);
        float[] x = op.x().data();
        float[] y = op.y().data();
        for (int n = 0; n < op.x().rows(); n++) {
            for (int o = 0; o < outputs; o++) {
                Dot dot = new Dot();
                for (int i = 0; i < inputs; i++) {
                    dot.add(i, x[n * inputs + i], w.data[w.at(i, o)]);
                }
                float value = dot.value();
                y[n * outputs + o] =
                        op.bias().isPresent() ? value + op.bias().get().data()[o] : value;
            }
        }
    }

    static void inputGradient(LinearInputGradient op) {
        int inputs = op.dx().columns();
        int outputs = op.dy().columns();
        Matrix w = new Matrix(op.weight(), op.layout(), inputs, outputs);
        float[] dy = op.dy().data();
        float[] dx = op.dx().data();
        for (int n = 0; n < op.dy().rows(); n++) {
            for (int i = 0; i < inputs; i++) {
                Dot dot = new Dot();
                for (int o = 0; o < outputs; o++) {
                    dot.add(o, dy[n * outputs + o], w.data[w.at(i, o)]);
                }
                int at = n * inputs + i;
                dx[at] = op.add() ? dx[at] + dot.value() : dot.value();
            }
        }
    }

    static void weightGradient(LinearWeightGradient op) {
        int inputs = op.x().columns();
        int outputs = op.dy().columns();
        Matrix dw = new Matrix(op.dWeight(), op.layout(), inputs, outputs);
        float[] x = op.x().data();
        float[] dy = op.dy().data();
        for (int i = 0; i < inputs; i++) {
            for (int o = 0; o < outputs; o++) {
                Dot dot = new Dot();
                for (int n = 0; n < op.x().rows(); n++) {
                    dot.add(n, x[n * inputs + i], dy[n * outputs + o]);
                }
                dw.data[dw.at(i, o)] = dot.value();
            }
        }
        if (op.dBias().isPresent()) {
            columnSums(dy, op.x().rows(), op.dBias().get().data());
        }
    }

    /** out[c] = DOT over rows of d[n][c]·1. */
    static void columnSums(float[] d, int rows, float[] out) {
        for (int c = 0; c < out.length; c++) {
            Dot dot = new Dot();
            for (int n = 0; n < rows; n++) {
                dot.add(n, d[n * out.length + c], 1f);
            }
            out[c] = dot.value();
        }
    }

    /** A stored matrix, addressed by input and output channel. */
    private static final class Matrix {
        final float[] data;
        private final int inputStride;
        private final int outputStride;

        Matrix(Tensor tensor, WeightLayout layout, int inputs, int outputs) {
            this.data = tensor.data();
            this.inputStride = layout == WeightLayout.IN_OUT ? outputs : 1;
            this.outputStride = layout == WeightLayout.IN_OUT ? 1 : inputs;
        }

        int at(int input, int output) {
            return input * inputStride + output * outputStride;
        }
    }
}
