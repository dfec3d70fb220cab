package org.bitwitness.replayer.planted;

import org.bitwitness.portal.planted.PortalThatReplays;
import org.bitwitness.recorder.planted.AnyRecorder;

/** Breaks the module table on purpose: an auditor must trust bytes on disk only. With its portal it forms a cycle. */
public final class ReplayerThatUsesTheRecorder {
    private ReplayerThatUsesTheRecorder() {}

    public static Class<?> recorder() {
        return AnyRecorder.class;
    }

    public static PortalThatReplays portal() {
        return new PortalThatReplays();
    }
}
