package org.bitwitness.replayer;

/** Hears how far a replay is. Called by the replaying thread; must return quickly. */
@FunctionalInterface
public interface ProgressListener {
    ProgressListener NONE = (done, total, note) -> {};

    /**
     * A part of the replay begins, or an operator of it has been computed.
     *
     * @param done parts done so far, one part being one worker's gradient or one reduction with its update
     * @param total parts of this replay
     * @param note what is being computed now, a few words
     */
    void progress(long done, long total, String note);

    /** Something that the person at the machine should read: kept work that is used, or thrown away. */
    default void note(String words) {}
}
