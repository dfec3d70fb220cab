package org.bitwitness.kernels;

import java.util.List;

/**
 * A part of one parameter with what its optimizer remembers of it: what the update of a segment reads and writes in place.
 *
 * @param moments in the optimizer's order
 * @param decays whether the parameter's weight decay applies
 */
@SuppressWarnings("ArrayRecordComponent") // handed from method to method, never compared
public record StateSegment(float[] parameter, List<float[]> moments, boolean decays) {
    public StateSegment {
        moments = List.copyOf(moments);
        for (float[] moment : moments) {
            if (moment.length != parameter.length) {
                throw new IllegalArgumentException("a moment of a segment should have %d elements, has %d"
                        .formatted(parameter.length, moment.length));
            }
        }
    }
}
