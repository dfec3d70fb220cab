package org.bitwitness.datasets;

import java.util.Optional;

/**
 * Turns documents into ids: a pure function of the document's bytes and of the tokenizer that {@link #spec} names.
 *
 * <p>Safe for use by several threads.
 */
public interface Tokenizer extends AutoCloseable {
    /** Name of the tokenizer's own file in a dataset folder, where it has one. */
    String FILE = "tokenizer.json";

    TokenizerSpec spec();

    /**
     * Ids of one document.
     *
     * @param text in the form of {@link TextForm}
     * @return ids below the vocabulary, the last one being end of text; text never gives that id elsewhere
     * @throws DatasetException if the text cannot be turned into ids
     */
    int[] encode(byte[] text) throws DatasetException;

    /** Text of ids, for showing samples to people; ends of text are left out. */
    byte[] decode(int[] ids);

    /** What {@link #FILE} holds; nothing where the tokenizer follows from the manifest alone. */
    Optional<byte[]> file();

    @Override
    void close();
}
