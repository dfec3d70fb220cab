package org.bitwitness.kernels.reference;

import org.bitwitness.kernels.OperatorContext;
import org.bitwitness.kernels.op.Attention;
import org.bitwitness.kernels.op.AttentionGradient;
import org.bitwitness.kernels.op.AttentionShape;
import org.bitwitness.kernels.op.HeadsView;

/** Causal attention with grouped key/value heads, forward and backward, one (sequence, head) after the other. */
final class AttentionKernel {
    private AttentionKernel() {}

    static void forward(Attention op, OperatorContext context) {
        AttentionShape shape = op.shape();
        for (int s = 0; s < shape.sequences(); s++) {
            for (int h = 0; h < shape.heads(); h++) {
                forwardHead(op, context, s, h);
            }
        }
    }

    private static void forwardHead(Attention op, OperatorContext context, int s, int h) {
        AttentionShape shape = op.shape();
        int length = shape.length();
        DropoutMask mask = new DropoutMask(op.dropout(), context);
        Head v = new Head(op.v(), shape, s, h / shape.group());
        Head out = new Head(new HeadsView(op.out(), 0), shape, s, h);
        for (int i = 0; i < length; i++) {
            int row = (s * shape.heads() + h) * length + i;
            float[] scores = scores(op, s, h, i);
            float max = RowMax.of(scores, 0, i + 1);
            float[] e = new float[i + 1];
            for (int j = 0; j <= i; j++) {
                e[j] = Functions.exp(scores[j] - max);
            }
            float z = Lanes.sum(e, 0, i + 1);
            op.rowMax().data()[row] = max;
            op.rowSum().data()[row] = z;
            float rz = 1f / z;
            for (int d = 0; d < shape.headDim(); d++) {
                Dot dot = new Dot();
                for (int j = 0; j <= i; j++) {
                    float weight = e[j];
                    if (op.dropout().active()) {
                        weight = mask.apply((long) row * length + j, e[j] * rz);
                    }
                    dot.add(j, weight, v.get(j, d));
                }
                out.set(i, d, op.dropout().active() ? dot.value() : dot.value() / z);
            }
        }
    }

    static void backward(AttentionGradient op, OperatorContext context) {
        AttentionShape shape = op.forward().shape();
        for (int s = 0; s < shape.sequences(); s++) {
            for (int h = 0; h < shape.heads(); h++) {
                backwardHead(op, context, s, h);
            }
        }
    }

    private static void backwardHead(AttentionGradient op, OperatorContext context, int s, int h) {
        AttentionShape shape = op.forward().shape();
        int length = shape.length();
        int kvHead = h / shape.group();
        boolean firstOfGroup = h % shape.group() == 0;
        Head q = new Head(op.forward().q(), shape, s, h);
        Head k = new Head(op.forward().k(), shape, s, kvHead);
        Head dOut = new Head(new HeadsView(op.dOut(), 0), shape, s, h);
        float[][] dropped = new float[length][];
        float[][] dScores = new float[length][];
        for (int i = 0; i < length; i++) {
            dropped[i] = new float[i + 1];
            dScores[i] = new float[i + 1];
            scoreGradients(
                    op, new DropoutMask(op.forward().dropout(), context), new Row(s, h, i), dropped[i], dScores[i]);
        }
        Head dq = new Head(op.dq(), shape, s, h);
        Head dk = new Head(op.dk(), shape, s, kvHead);
        Head dv = new Head(op.dv(), shape, s, kvHead);
        for (int d = 0; d < shape.headDim(); d++) {
            for (int i = 0; i < length; i++) {
                Dot dot = new Dot();
                for (int j = 0; j <= i; j++) {
                    dot.add(j, dScores[i][j], k.get(j, d));
                }
                dq.set(i, d, dot.value());
            }
            for (int j = 0; j < length; j++) {
                Dot forKey = new Dot();
                Dot forValue = new Dot();
                for (int i = j; i < length; i++) {
                    forKey.add(i, dScores[i][j], q.get(i, d));
                    forValue.add(i, dropped[i][j], dOut.get(i, d));
                }
                dk.set(j, d, firstOfGroup ? forKey.value() : dk.get(j, d) + forKey.value());
                dv.set(j, d, firstOfGroup ? forValue.value() : dv.get(j, d) + forValue.value());
            }
        }
    }

    private record Row(int s, int h, int i) {}

    /** For one query: the probabilities as they met v (after dropout), and dS. */
    private static void scoreGradients(
            AttentionGradient op, DropoutMask mask, Row at, float[] dropped, float[] dScores) {
        Attention forward = op.forward();
        AttentionShape shape = forward.shape();
        int i = at.i;
        int row = (at.s * shape.heads() + at.h) * shape.length() + i;
        float[] scores = scores(forward, at.s, at.h, i);
        float max = forward.rowMax().data()[row];
        float rz = 1f / forward.rowSum().data()[row];
        Head v = new Head(forward.v(), shape, at.s, at.h / shape.group());
        Head dOut = new Head(new HeadsView(op.dOut(), 0), shape, at.s, at.h);
        Head out = new Head(new HeadsView(forward.out(), 0), shape, at.s, at.h);
        float delta = Lanes.dot(op.dOut().data(), dOut.at(i, 0), forward.out().data(), out.at(i, 0), shape.headDim());
        for (int j = 0; j <= i; j++) {
            long element = (long) row * shape.length() + j;
            float p = Functions.exp(scores[j] - max) * rz;
            dropped[j] = mask.apply(element, p);
            Dot dot = new Dot();
            for (int d = 0; d < shape.headDim(); d++) {
                dot.add(d, dOut.get(i, d), v.get(j, d));
            }
            float dp = mask.apply(element, dot.value());
            dScores[j] = (p * (dp - delta)) * forward.scale();
        }
    }

    /** s[j] = DOT(q, k)·scale for j ≤ i. */
    private static float[] scores(Attention op, int s, int h, int i) {
        AttentionShape shape = op.shape();
        Head q = new Head(op.q(), shape, s, h);
        Head k = new Head(op.k(), shape, s, h / shape.group());
        float[] scores = new float[i + 1];
        for (int j = 0; j <= i; j++) {
            Dot dot = new Dot();
            for (int d = 0; d < shape.headDim(); d++) {
                dot.add(d, q.get(i, d), k.get(j, d));
            }
            scores[j] = dot.value() * op.scale();
        }
        return scores;
    }

    /** One head of one sequence: [T, D] inside the rows of a tensor. */
    private static final class Head {
        private final float[] data;
        private final int start;
        private final int stride;

        Head(HeadsView view, AttentionShape shape, int s, int head) {
            this.data = view.tensor().data();
            this.stride = view.stride();
            this.start = s * shape.length() * stride + view.offset() + head * shape.headDim();
        }

        int at(int position, int d) {
            return start + position * stride + d;
        }

        float get(int position, int d) {
            return data[at(position, d)];
        }

        void set(int position, int d, float value) {
            data[at(position, d)] = value;
        }
    }
}
