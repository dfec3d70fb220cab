package org.bitwitness.recorder;

import java.io.IOException;
import java.util.Locale;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.protocol.ProtocolException;

/** Training or recording cannot go on for a reason outside this program. The message is for a person. */
public sealed class RecorderException extends Exception permits LostWorkerException {
    private static final long serialVersionUID = 1L;

    public RecorderException(String message) {
        super(message);
    }

    public RecorderException(String message, Throwable cause) {
        super(message, cause);
    }

    /** An I/O error with the place it happened at; a full disk is named as such. */
    public static RecorderException io(String doing, IOException e) {
        String text = String.valueOf(e.getMessage());
        String lower = text.toLowerCase(Locale.ROOT);
        boolean full =
                lower.contains("no space left") || lower.contains("quota exceeded") || lower.contains("too large");
        return new RecorderException(
                full
                        ? "no space left while %s (%s): free some, then go on with --resume".formatted(doing, text)
                        : "input or output failed while %s: %s".formatted(doing, text),
                e);
    }

    public static RecorderException of(String doing, ProtocolException e) {
        return e.getCause() instanceof IOException io
                ? io(doing, io)
                : new RecorderException(doing + ": " + e.getMessage(), e);
    }

    public static RecorderException of(DatasetException e) {
        return new RecorderException(e.getMessage(), e);
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
