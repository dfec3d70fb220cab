package org.bitwitness.kernels;

import java.util.Arrays;

/**
 * The operators' mathematics in binary64, written from their formulas and from nothing else: no order, no lanes, library
 * functions. For gradients by central differences; never for bits.
 */
final class DoubleOperators {
    private DoubleOperators() {}

    /** x [n, k] times w [k, m] plus b [m]. */
    static double[] linear(double[] x, double[] w, double[] b, int k) {
        int m = b.length;
        double[] y = new double[x.length / k * m];
        for (int i = 0; i < y.length; i++) {
            double sum = b[i % m];
            for (int c = 0; c < k; c++) {
                sum += x[i / m * k + c] * w[c * m + i % m];
            }
            y[i] = sum;
        }
        return y;
    }

    static double[] embedding(double[] tokens, double[] positions, MicroBatch batch, int width, double[] mask) {
        double[] y = new double[batch.tokens() * width];
        for (int i = 0; i < y.length; i++) {
            int n = i / width;
            double token = tokens[batch.ids()[n] * width + i % width];
            y[i] = mask[i] * (token + positions[n % batch.length() * width + i % width]);
        }
        return y;
    }

    static double[] layerNorm(double[] x, double[] gain, double[] bias, double eps) {
        int width = gain.length;
        double[] y = new double[x.length];
        for (int at = 0; at < x.length; at += width) {
            double mean = Arrays.stream(x, at, at + width).average().orElseThrow();
            double variance = Arrays.stream(x, at, at + width)
                    .map(v -> (v - mean) * (v - mean))
                    .average()
                    .orElseThrow();
            for (int c = 0; c < width; c++) {
                y[at + c] = (x[at + c] - mean) / Math.sqrt(variance + eps) * gain[c] + bias[c];
            }
        }
        return y;
    }

    static double[] rmsNorm(double[] x, double[] gain, double eps) {
        int width = gain.length;
        double[] y = new double[x.length];
        for (int at = 0; at < x.length; at += width) {
            double square =
                    Arrays.stream(x, at, at + width).map(v -> v * v).average().orElseThrow();
            for (int c = 0; c < width; c++) {
                y[at + c] = x[at + c] / Math.sqrt(square + eps) * gain[c];
            }
        }
        return y;
    }

    /** Rotates pairs (i, i + half) of every head of 2·half channels by the angles of the row's position. */
    static double[] rope(double[] x, int heads, int half, int length, double[] angles) {
        double[] y = new double[x.length];
        int width = heads * 2 * half;
        for (int at = 0; at < x.length; at += 2 * half) {
            int position = at / width % length;
            for (int i = 0; i < half; i++) {
                double angle = angles[position * half + i];
                y[at + i] = x[at + i] * StrictMath.cos(angle) - x[at + half + i] * StrictMath.sin(angle);
                y[at + half + i] = x[at + half + i] * StrictMath.cos(angle) + x[at + i] * StrictMath.sin(angle);
            }
        }
        return y;
    }

    /** Sizes of {@link #attention}: sequences, length, heads, key/value heads, head dimension. */
    record Heads(int sequences, int length, int heads, int kvHeads, int dim) {}

    /** @param mask factor on every probability, [S, H, T, T] */
    static double[] attention(double[] q, double[] k, double[] v, Heads of, double[] mask) {
        double[] out = new double[q.length];
        for (int row = 0; row < of.sequences * of.heads * of.length; row++) {
            int s = row / of.length / of.heads;
            int h = row / of.length % of.heads;
            int i = row % of.length;
            int kv = h / (of.heads / of.kvHeads);
            double[] p = new double[i + 1];
            for (int j = 0; j <= i; j++) {
                for (int d = 0; d < of.dim; d++) {
                    p[j] += q[((s * of.length + i) * of.heads + h) * of.dim + d]
                            * k[((s * of.length + j) * of.kvHeads + kv) * of.dim + d];
                }
                p[j] = StrictMath.exp(p[j] / Math.sqrt(of.dim));
            }
            double sum = Arrays.stream(p).sum();
            for (int j = 0; j <= i; j++) {
                for (int d = 0; d < of.dim; d++) {
                    out[((s * of.length + i) * of.heads + h) * of.dim + d] += p[j]
                            / sum
                            * mask[row * of.length + j]
                            * v[((s * of.length + j) * of.kvHeads + kv) * of.dim + d];
                }
            }
        }
        return out;
    }

    static double[] gelu(double[] x) {
        return Arrays.stream(x)
                .map(v -> 0.5 * v * (1 + StrictMath.tanh(Math.sqrt(2 / Math.PI) * (v + 0.044715 * v * v * v))))
                .toArray();
    }

    static double[] swiGlu(double[] gate, double[] up) {
        double[] y = new double[gate.length];
        for (int i = 0; i < y.length; i++) {
            y[i] = gate[i] / (1 + StrictMath.exp(-gate[i])) * up[i];
        }
        return y;
    }

    /** Losses of the rows with a target, 0 for the others, times {@code factor}. */
    static double[] crossEntropy(double[] logits, int[] targets, double factor) {
        int vocab = logits.length / targets.length;
        double[] losses = new double[targets.length];
        for (int n = 0; n < targets.length; n++) {
            if (targets[n] >= 0) {
                double sum = Arrays.stream(logits, n * vocab, (n + 1) * vocab)
                        .map(StrictMath::exp)
                        .sum();
                losses[n] = factor * (StrictMath.log(sum) - logits[n * vocab + targets[n]]);
            }
        }
        return losses;
    }

    static double[] add(double[] x, double[] branch, double[] mask) {
        double[] y = new double[x.length];
        for (int i = 0; i < y.length; i++) {
            y[i] = x[i] + mask[i] * branch[i];
        }
        return y;
    }
}
