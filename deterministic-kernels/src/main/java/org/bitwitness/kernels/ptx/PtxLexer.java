package org.bitwitness.kernels.ptx;

import org.bitwitness.kernels.gpu.GpuException;
import org.bitwitness.kernels.gpu.GpuFailure;

/** Cuts PTX into words, numbers, strings and marks; comments are left out. */
final class PtxLexer {
    private final String module;
    private final String text;
    private int at;
    private int line = 1;
    /** The token under the cursor; empty at the end of the text. */
    private String token = "";

    private int tokenLine = 1;

    PtxLexer(String module, String text) {
        this.module = module;
        this.text = text;
        refuseOddCharacters();
        next();
    }

    /** A driver stops reading at the first zero byte, so what it is given after one would be read here only. */
    private void refuseOddCharacters() {
        int lines = 1;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n') {
                lines++;
            } else if ((c < ' ' && c != '\t' && c != '\r') || c > '~') {
                throw refusal(module, lines, "unexpected character U+" + Integer.toHexString(c));
            }
        }
    }

    String token() {
        return token;
    }

    int line() {
        return tokenLine;
    }

    boolean atEnd() {
        return token.isEmpty();
    }

    boolean is(String expected) {
        return token.equals(expected);
    }

    /** Takes the token if it is the one asked for. */
    boolean take(String expected) {
        if (!is(expected)) {
            return false;
        }
        next();
        return true;
    }

    void expect(String expected) {
        if (!take(expected)) {
            throw refusal("expected \"" + expected + "\", found " + found());
        }
    }

    /** The token, which is moved past. */
    String taken() {
        if (atEnd()) {
            throw refusal("the text ends in the middle of a statement: the file is cut");
        }
        String taken = token;
        next();
        return taken;
    }

    String found() {
        return atEnd() ? "the end of the text" : "\"" + token + "\"";
    }

    GpuException refusal(String detail) {
        return refusal(module, tokenLine, detail);
    }

    static GpuException refusal(String module, int line, String detail) {
        return new GpuException(new GpuFailure.PtxRefused(module, "line " + line + ": " + detail));
    }

    private void next() {
        skipBlanks();
        tokenLine = line;
        if (at >= text.length()) {
            token = "";
            return;
        }
        int from = at;
        char c = text.charAt(at);
        if (isWordStart(c) || isDigit(c)) {
            at++;
            while (at < text.length() && isWordPart(text.charAt(at))) {
                at++;
            }
        } else if (c == '"') {
            at = text.indexOf('"', at + 1) + 1;
            if (at == 0) {
                throw refusal("a string does not end");
            }
        } else if (",;{}()[]+-@!|<>=:".indexOf(c) >= 0) {
            at++;
        } else {
            throw refusal("unexpected character U+" + Integer.toHexString(c));
        }
        token = text.substring(from, at);
    }

    private void skipBlanks() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '\n') {
                line++;
                if (line > PtxLimits.MOST_LINES) {
                    throw refusal("more than " + PtxLimits.MOST_LINES + " lines");
                }
                at++;
            } else if (c == ' ' || c == '\t' || c == '\r') {
                at++;
            } else if (text.startsWith("//", at)) {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
            } else if (text.startsWith("/*", at)) {
                throw refusal("a block comment: nvcc writes none, and one could hide code");
            } else {
                return;
            }
        }
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isWordStart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%' || c == '.';
    }

    private static boolean isWordPart(char c) {
        return isWordStart(c) || isDigit(c);
    }
}
