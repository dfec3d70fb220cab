package org.bitwitness.cli.support;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.Optional;

/** Standard output that remembers a failed write, which print writers hide: a result that got lost must not exit with 0. */
public final class ResultOutput extends FilterOutputStream {
    private Optional<IOException> failure = Optional.empty();

    ResultOutput(OutputStream out) {
        super(out);
    }

    /** Standard output itself. */
    public static ResultOutput standard() {
        return new ResultOutput(new FileOutputStream(FileDescriptor.out));
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            out.write(bytes, offset, length);
        } catch (IOException e) {
            failure = Optional.of(failure.orElse(e));
            throw e;
        }
    }

    /**
     * What to exit with when everything is written.
     *
     * @param code what the command made of it
     * @return that, but 1 instead of 0 when the result did not arrive. A reader that left, as head does, wanted no more.
     */
    public int settle(int code, PrintWriter err) {
        String why = failure.map(e -> String.valueOf(e.getMessage())).orElse("Broken pipe");
        if (why.contains("Broken pipe")) {
            return code;
        }
        err.println("bitwitness: the result could not be written to standard output (" + why
                + "): free some space, or send it elsewhere");
        return code == ExitCode.OK.code() ? ExitCode.USAGE.code() : code;
    }
}
