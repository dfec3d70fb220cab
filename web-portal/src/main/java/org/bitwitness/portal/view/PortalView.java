package org.bitwitness.portal.view;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bitwitness.portal.PortalException;
import org.bitwitness.protocol.Sha256;

/**
 * What the portal can answer. Every answer is derived from the log; nothing here can be set from outside. A
 * method throws when the log cannot be read or does not verify: no answer is better than a stale one.
 */
public interface PortalView {
    /**
     * Names of keys by key id: those of the portal's trust folder, and those that registrars of that folder gave in the
     * log. Names are for people: what counts is the key.
     */
    Map<String, String> names();

    /** All runs in the log, newest first. */
    List<RunPage> runs() throws PortalException;

    /** The page of a run by its id, 64 lower-case hexadecimal digits. */
    Optional<RunPage> run(Sha256 runId) throws PortalException;

    /** The run that released a file with this SHA-256. */
    Optional<RunPage> releasedBy(Sha256 file) throws PortalException;

    /** The whole log in brief. */
    LogPage log() throws PortalException;

    /** The Sigstore bundle of the entry at {@code index}, as UTF-8 JSON. */
    Optional<byte[]> bundle(long index) throws PortalException;

    /**
     * A public file of the log folder ({@code checkpoint}, {@code tile/…}, {@code payload/…}).
     *
     * @param path relative, without {@code ..}; anything that is no log file gives empty
     */
    Optional<byte[]> logFile(String path) throws PortalException;
}
