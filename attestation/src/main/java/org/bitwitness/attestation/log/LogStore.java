package org.bitwitness.attestation.log;

import java.io.IOException;
import java.util.List;
import java.util.SequencedMap;

/**
 * The disk of a log's writer. What a method returns from is on disk for good; what it throws from may or may not have
 * happened.
 */
public interface LogStore extends LogSource {
    /** Replaces one file: a reader sees the old bytes or the new, also after a power cut. */
    void write(String path, byte[] bytes) throws IOException;

    /** Writes several files as {@link #write} does each, in order; a failure may leave any first part of them. */
    void writeAll(SequencedMap<String, byte[]> files) throws IOException;

    /** Finishes what an earlier process, or a failed write, left half done. Called before anything is read. */
    default void recover() throws IOException {}

    /** Ends what is still going on beside {@link #writeAll}, so that nothing is left to recover. */
    default void settle() throws IOException {}

    boolean exists(String path) throws IOException;

    /** Removes a file if it is there. */
    void delete(String path) throws IOException;

    /** Names of the files directly in a folder, sorted; empty if there is no such folder. */
    List<String> names(String folder) throws IOException;
}
