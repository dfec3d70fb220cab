package org.bitwitness.protocol.format;

import java.util.Arrays;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.record.Scalars;

/** {@code scalars.json} of a stored state, in the same one spelling as the descriptor. */
public final class ScalarsJson {
    private static final int VERSION = 1;
    private static final long MAX_INTEGER = (1L << 53) - 1;

    private ScalarsJson() {}

    public static byte[] write(Scalars s) {
        return Json.canonicalBytes(Json.object()
                .put("version", VERSION)
                .put("stateIndex", s.stateIndex().value())
                .put("updateCount", s.updateCount())
                .put("schedulePosition", s.schedulePosition())
                .put("rngCounter", s.rngCounter())
                .put("epoch", s.epoch())
                .put("samplePosition", s.samplePosition())
                .put("lossScale", "%016x".formatted(Double.doubleToRawLongBits(s.lossScale())))
                .put("layoutDigest", s.layoutDigest().hex())
                .build());
    }

    /** @param path for messages */
    public static Scalars read(byte[] utf8, String path) throws ProtocolException {
        JsonFields in = JsonFields.of(path, StrictJson.object(utf8, path));
        long version = in.integer("version", 0, MAX_INTEGER);
        if (version != VERSION) {
            throw in.refuse("version", "is %d, known here is %d".formatted(version, VERSION));
        }
        long stateIndex = in.integer("stateIndex", 0, MAX_INTEGER);
        long updateCount = in.integer("updateCount", 0, MAX_INTEGER);
        long schedulePosition = in.integer("schedulePosition", 0, MAX_INTEGER);
        long rngCounter = in.integer("rngCounter", 0, MAX_INTEGER);
        long epoch = in.integer("epoch", 0, MAX_INTEGER);
        long samplePosition = in.integer("samplePosition", 0, MAX_INTEGER);
        double lossScale = in.double64("lossScale");
        Sha256 layoutDigest = in.digest("layoutDigest");
        in.end();
        if (!Double.isFinite(lossScale)) {
            throw in.refuse("lossScale", "should be finite");
        }
        Scalars scalars = new Scalars(
                new StateIndex(stateIndex),
                updateCount,
                schedulePosition,
                rngCounter,
                epoch,
                samplePosition,
                lossScale,
                layoutDigest);
        if (!Arrays.equals(write(scalars), utf8)) {
            throw ProtocolException.malformed("%s: not the one spelling (keys sorted, no spaces)", path);
        }
        return scalars;
    }
}
