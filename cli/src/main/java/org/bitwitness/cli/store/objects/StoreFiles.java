package org.bitwitness.cli.store.objects;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.OptionalLong;
import org.bitwitness.protocol.ProtocolException;

/**
 * Where the files of a store lie. Names are like {@code objects/ab/ab12…}: parts of lower-case letters, digits, '.' and '-'.
 * A file appears whole or not at all; one with other bytes is replaced only by a whole one.
 */
interface StoreFiles extends AutoCloseable {
    /** Files below a folder with their sizes, by name; empty where there is no such folder. */
    Map<String, Long> list(String folder) throws IOException;

    OptionalLong size(String name) throws IOException;

    InputStream open(String name, long offset) throws IOException;

    /** Writes a file that is then there after any crash. Where the body fails there is what was there before. */
    void put(String name, Body body) throws IOException, ProtocolException;

    void delete(String name) throws IOException;

    /** Files that a crash left half written. */
    int leftovers() throws IOException;

    /** Deletes them; only under an exclusive lock, since others may be writing theirs. */
    void deleteLeftovers() throws IOException;

    /**
     * Keeps others out: an exclusive lock all of them, a shared one those that want an exclusive one.
     *
     * @throws ProtocolException environment, if somebody holds one that does not go with it
     */
    Lock lock(boolean exclusive) throws IOException, ProtocolException;

    String describe();

    @Override
    void close() throws IOException;

    /** Writes the bytes of a file; leaves closing to the caller. */
    @FunctionalInterface
    interface Body {
        void writeTo(OutputStream out) throws IOException, ProtocolException;
    }

    /** Held while a store is changed. */
    interface Lock extends AutoCloseable {
        /**
         * To be called while work goes on; cheap.
         *
         * @throws IOException if the lock was lost
         */
        void keep() throws IOException;

        @Override
        void close() throws IOException;
    }
}
