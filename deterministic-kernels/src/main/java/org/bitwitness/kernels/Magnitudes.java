package org.bitwitness.kernels;

/** Upper bounds of |w|, |m| and v over one parameter; NaN where there is none. v is not negative. */
public record Magnitudes(double w, double m, double v) {
    /** Far below the largest float, so that roundings on the way do not matter. */
    private static final double LIMIT = 0x1p120;

    /** More than the roundings of one update can add. */
    private static final double SLACK = 1 + 0x1p-16;

    /**
     * What they are after an AdamW update; NaN or infinite if nothing is sure.
     *
     * @param decay of this parameter: that of the constants, or 1
     * @param gradient upper bound of |gradient|, before clipping
     */
    public Magnitudes after(AdamWConstants c, float decay, double gradient) {
        double g = gradient * Math.abs(c.clip());
        double square = g * g;
        double nextM = (Math.abs(c.beta1()) * m + Math.abs(c.oneMinusBeta1()) * g) * SLACK;
        double nextV = (c.beta2() * v + c.oneMinusBeta2() * square) * SLACK;
        boolean usual = c.eps() > 0 && c.rootCorrection() >= 0 && c.beta2() >= 0 && c.oneMinusBeta2() >= 0;
        double quotient = usual ? nextM / c.eps() : Double.NaN;
        double nextW = (Math.abs(c.step()) * quotient + w * Math.abs(decay)) * SLACK;
        boolean sure = square < LIMIT && quotient < LIMIT && Math.sqrt(nextV) * c.rootCorrection() + c.eps() < LIMIT;
        // Results below the normal range round by more than the slack, but never to more than the smallest normal
        // number.
        return sure
                ? new Magnitudes(
                        Math.max(nextW, Float.MIN_NORMAL),
                        Math.max(nextM, Float.MIN_NORMAL),
                        Math.max(nextV, Float.MIN_NORMAL))
                : new Magnitudes(Double.NaN, Double.NaN, Double.NaN);
    }

    /** Whether every number below these bounds is finite. */
    public boolean finite() {
        return w < LIMIT && m < LIMIT && v < LIMIT;
    }
}
