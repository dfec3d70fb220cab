package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Field report (OpenJDK pull request 10661): a native library built for speed switches off subnormal numbers for the thread
 * that loads or calls it, and Java's arithmetic is wrong from then on. Either the JVM repairs it, or we notice.
 */
class NativeFloatModeTest {
    /** FTZ and DAZ of x86, FZ of Arm: at load, and inside a call. */
    private static final String STUB = """
        #if defined(__x86_64__)
        #include <immintrin.h>
        static void flush(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }
        #elif defined(__aarch64__)
        static void flush(void) {
          unsigned long mode;
          __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
          __asm__ volatile("msr fpcr, %0" : : "r"(mode | (1ul << 24)));
        }
        #else
        #error "no flush-to-zero mode is known for this processor"
        #endif
        #ifdef AT_LOAD
        __attribute__((constructor)) static void loaded(void) { flush(); }
        #endif
        void bitwitness_flush(void) { flush(); }
        """;

    @TempDir
    private Path folder;

    @Test
    void aLibraryThatSwitchesOffSubnormalsWhenItIsLoadedIsRepairedOrNoticed() {
        judge(ChildJvm.run(NativeFloatModeProbe.class, "-Xint", library(true).toString(), "load"));
    }

    @Test
    void aCallThatSwitchesOffSubnormalsIsRepairedOrNoticed() {
        String output =
                ChildJvm.run(NativeFloatModeProbe.class, "-Xint", library(false).toString(), "call");
        judge(output);
        // Twin: nothing repairs a downcall of the foreign function interface, so here the check itself is seen at work.
        assertTrue(output.contains("flushed: noticed"), output);
    }

    @Test
    void withoutTheLibraryNothingIsNoticed() {
        assertEquals("kept: not noticed", lastLine(ChildJvm.run(NativeFloatModeProbe.class, "-Xint", "", "nothing")));
    }

    private static void judge(String output) {
        String verdict = lastLine(output);
        assertTrue(verdict.equals("kept: not noticed") || verdict.startsWith("flushed: noticed"), output);
    }

    private static String lastLine(String output) {
        return output.lines().toList().getLast();
    }

    /** Compiles the stub; without a C compiler the test is skipped. */
    private Path library(boolean atLoad) {
        Path source = folder.resolve("stub.c");
        Path library = folder.resolve("stub.so");
        try {
            Files.writeString(source, STUB);
            Process compiler = new ProcessBuilder(
                            "cc",
                            "-shared",
                            "-fPIC",
                            "-O1",
                            atLoad ? "-DAT_LOAD" : "-DIN_CALL",
                            source.toString(),
                            "-o",
                            library.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("cc.txt").toFile())
                    .start();
            boolean compiled = compiler.waitFor(1, TimeUnit.MINUTES) && compiler.exitValue() == 0;
            Assumptions.assumeTrue(compiled, "cc cannot compile the stub on this machine");
            return library;
        } catch (IOException e) {
            return Assumptions.abort("no C compiler: cc is not on the path");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
