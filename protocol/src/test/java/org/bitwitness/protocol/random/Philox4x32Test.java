package org.bitwitness.protocol.random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;

/** The known answers that Random123 ships for philox4x32 with ten rounds. */
class Philox4x32Test {
    @Test
    void givesTheKnownAnswerForZeros() {
        assertArrayEquals(words("6627e8d5 e169c58d bc57ac4c 9b00dbd8"), block(0, 0, 0, 0, 0, 0));
    }

    @Test
    void givesTheKnownAnswerForOnes() {
        assertArrayEquals(words("408f276d 41c83b0e a20bc7c6 6d5451fd"), block(-1, -1, -1, -1, -1, -1));
    }

    @Test
    void givesTheKnownAnswerForDigitsOfPi() {
        int[] in = words("243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0");
        assertArrayEquals(
                words("d16cfe09 94fdcceb 5001e420 24126ea1"), block(in[0], in[1], in[2], in[3], in[4], in[5]));
    }

    private static int[] block(int c0, int c1, int c2, int c3, int k0, int k1) {
        int[] out = new int[4];
        Philox4x32.block(c0, c1, c2, c3, k0, k1, out);
        return out;
    }

    private static int[] words(String hex) {
        String[] parts = hex.split(" ", -1);
        int[] words = new int[parts.length];
        for (int i = 0; i < parts.length; i++) {
            words[i] = Integer.parseUnsignedInt(parts[i], 16);
        }
        return words;
    }
}
