package org.bitwitness.kernels;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A program for a JVM of its own: loads or calls a library that changes the float mode, then halves the smallest normal
 * number and asks {@link FloatMode}. Arguments are the library and what to do with it; prints what happened and whether it
 * was noticed.
 */
final class NativeFloatModeProbe {
    private static volatile float smallestNormal = Float.MIN_NORMAL;

    private NativeFloatModeProbe() {}

    @SuppressWarnings("restricted") // loading native code is what is tried here
    public static void main(String[] args) throws Throwable {
        switch (args[1]) {
            case "load" -> System.load(args[0]);
            case "call" -> {
                SymbolLookup library = SymbolLookup.libraryLookup(Path.of(args[0]), Arena.global());
                MethodHandle flush = Linker.nativeLinker()
                        .downcallHandle(library.findOrThrow("bitwitness_flush"), FunctionDescriptor.ofVoid());
                flush.invoke();
            }
            default -> {}
        }
        boolean[] kept = {smallestNormal * 0.5f != 0f, false};
        Thread fresh = new Thread(() -> kept[1] = smallestNormal * 0.5f != 0f);
        fresh.start();
        fresh.join();
        Optional<String> problem = FloatMode.problem();
        System.out.println((kept[0] && kept[1] ? "kept: " : "flushed: ")
                + problem.map(p -> "noticed, " + p).orElse("not noticed"));
    }
}
