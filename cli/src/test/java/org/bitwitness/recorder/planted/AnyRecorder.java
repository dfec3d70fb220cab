package org.bitwitness.recorder.planted;

/** Stands for any class of the recorder, in tests of the architecture rules. */
public final class AnyRecorder {}
