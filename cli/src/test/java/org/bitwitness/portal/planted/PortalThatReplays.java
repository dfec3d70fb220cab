package org.bitwitness.portal.planted;

import org.bitwitness.replayer.planted.ReplayerThatUsesTheRecorder;

/** Breaks the module table on purpose: the portal shows verdicts, it does not make them. */
public final class PortalThatReplays {
    public Class<?> replay() {
        return ReplayerThatUsesTheRecorder.recorder();
    }
}
