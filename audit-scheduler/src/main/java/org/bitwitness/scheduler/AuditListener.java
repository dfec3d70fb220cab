package org.bitwitness.scheduler;

import java.util.List;
import org.bitwitness.protocol.AuditUnit;

/** Hears how an audit goes on. Called by the working thread. */
public interface AuditListener {
    /** Hears nothing. */
    AuditListener NONE = new AuditListener() {
        @Override
        public void challenged(long logIndex, List<AuditUnit> units, boolean resumed) {}

        @Override
        public void replaying(int units) {}

        @Override
        public void judged(LoggedVerdict verdict, int done, int total) {}

        @Override
        public void note(String words) {}
    };

    /**
     * The challenge is in the log.
     *
     * @param resumed true when it was there already
     */
    void challenged(long logIndex, List<AuditUnit> units, boolean resumed);

    /** The replay of this many units begins. */
    void replaying(int units);

    /** A verdict is in the log. */
    void judged(LoggedVerdict verdict, int done, int total);

    /** Something a replay said that the person at the machine should read. */
    void note(String words);
}
