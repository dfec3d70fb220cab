package org.bitwitness.kernels;

import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.protocol.random.Philox4x32;
import org.bitwitness.protocol.record.DetectorInputs;

/**
 * Norm and sketch of a gradient. Its values, one parameter after the other by name, are cut into rows of 1,024; the last
 * may be short. A row gets a random sign for each place and one random rotation; the sketch is the sum of all rows so
 * turned, in binary64 by ascending row, rounded to binary32 at the end. Dot products of sketches are those of the
 * gradients on average, because signs of different places are independent.
 *
 * <p>Philox 4x32-10 with the run's seed as key gives both: word j of the block with the counter (low, high word of the
 * row, b, 0x40000003) has the signs of the row's places 128·b + 32·j and up, lowest bit first, 1 being minus, for b below 8;
 * word 0 of block 8 modulo 1,024 is the rotation, which is added to a place.
 *
 * <p>The norm is the square root of a sum over places: each place adds the squares of its elements by ascending row, and
 * these 1,024 sums are added in order, all in binary64.
 *
 * @param norm binary64
 * @param sketch 1,024 numbers
 * @see <a href="../docs/formats.md#detectorsarrow">the definition</a>
 */
@SuppressWarnings("ArrayRecordComponent") // made here, read once
public record GradientSketch(double norm, float[] sketch) {
    private static final int ROW = DetectorInputs.SKETCH_SIZE;
    private static final int PURPOSE = 0x4000_0003;
    private static final int SIGN_BLOCKS = ROW / 128;

    /**
     * Of a worker's gradient as handed to the reduction.
     *
     * @param seed of the run
     */
    public static GradientSketch of(Gradients gradients, long seed) {
        Sums sums = new Sums(seed);
        for (int i = 0; i < gradients.manifest().count(); i++) {
            sums.add(gradients.tensor(i));
        }
        return sums.finish();
    }

    private static final class Sums {
        private final double[] signed = new double[ROW];
        private final double[] squares = new double[ROW];
        private final int[] signs = new int[ROW / Integer.SIZE];
        private final int[] words = new int[4];
        private final long seed;
        private long row;
        private int place;
        private int rotation;

        Sums(long seed) {
            this.seed = seed;
        }

        void add(float[] values) {
            int at = 0;
            while (at < values.length) {
                if (place == 0) {
                    begin();
                }
                int end = Math.min(values.length, at + ROW - place);
                for (; at < end; at++, place++) {
                    float value = values[at];
                    int minus = (signs[place >>> 5] >>> place) << 31;
                    signed[(place + rotation) & (ROW - 1)] +=
                            Float.intBitsToFloat(Float.floatToRawIntBits(value) ^ minus);
                    squares[place] += (double) value * value;
                }
                if (place == ROW) {
                    place = 0;
                    row++;
                }
            }
        }

        private void begin() {
            for (int b = 0; b < SIGN_BLOCKS; b++) {
                block(b);
                System.arraycopy(words, 0, signs, 4 * b, 4);
            }
            block(SIGN_BLOCKS);
            rotation = words[0] & (ROW - 1);
        }

        private void block(int b) {
            Philox4x32.block((int) row, (int) (row >>> 32), b, PURPOSE, (int) seed, (int) (seed >>> 32), words);
        }

        GradientSketch finish() {
            float[] sketch = new float[ROW];
            double sum = 0;
            for (int i = 0; i < ROW; i++) {
                sketch[i] = canonical((float) signed[i]);
                sum += squares[i];
            }
            double norm = Math.sqrt(sum);
            return new GradientSketch(Double.isNaN(norm) ? Double.NaN : norm, sketch);
        }

        /** One NaN, so that recorded bytes do not depend on hardware. */
        private static float canonical(float x) {
            return Float.isNaN(x) ? Float.NaN : x;
        }
    }
}
