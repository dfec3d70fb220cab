package org.bitwitness.kernels.vector;

import jdk.incubator.vector.FloatVector;

/** Rotary position embedding in place (P7) on pairs (i, i + half) of one head. */
@SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
record Rotation(float[] cos, float[] sin, boolean inverse, int half) {

    /** Rotates the head of {@code 2·half} channels at {@code at} by the angles of {@code position}. */
    void head(float[] x, int at, int position) {
        int table = position * half;
        int i = 0;
        for (; i <= half - Lanes.WIDTH; i += Lanes.WIDTH) {
            FloatVector c = FloatVector.fromArray(Lanes.FLOATS, cos, table + i);
            FloatVector s = FloatVector.fromArray(Lanes.FLOATS, sin, table + i);
            s = inverse ? s.neg() : s;
            FloatVector x0 = FloatVector.fromArray(Lanes.FLOATS, x, at + i);
            FloatVector x1 = FloatVector.fromArray(Lanes.FLOATS, x, at + half + i);
            x1.neg().fma(s, x0.mul(c)).intoArray(x, at + i);
            x1.fma(c, x0.mul(s)).intoArray(x, at + half + i);
        }
        for (; i < half; i++) {
            float c = cos[table + i];
            float s = inverse ? -sin[table + i] : sin[table + i];
            float x0 = x[at + i];
            float x1 = x[at + half + i];
            x[at + i] = Math.fma(-x1, s, x0 * c);
            x[at + half + i] = Math.fma(x1, c, x0 * s);
        }
    }
}
