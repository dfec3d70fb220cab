package org.bitwitness.cli.run.check;

import org.bitwitness.attestation.AttestationException;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.protocol.ProtocolException;

/** Looks at one subject of a recording. */
interface Check {
    /** A word or two, like {@code batch order}. */
    String name();

    /** The file that a refusal is about when it names none. */
    String file();

    /**
     * Looks, and says what was looked at. A refusal by a reader may be thrown: it becomes a difference.
     *
     * @throws ProtocolException, DatasetException, AttestationException what a reader refused
     */
    String run(Subject subject, Findings findings) throws ProtocolException, DatasetException, AttestationException;
}
