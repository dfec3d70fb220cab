package org.bitwitness.kernels;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every operator in every mode of the JVM: each register width, the interpreter, either compiler alone. Field reports:
 * OpenJDK pull requests 1128 and 11663 and panama-vector 60, vector instructions that were wrong only when compiled.
 */
class JvmModesTest {
    private static final long SEED = Long.getLong("tests.seed", 20_260_401L);

    /** Without AVX, multiply-adds are computed in software; the interpreter is slower still: small cases for both. */
    private static final String SMALL = "500";

    static List<String> everyMode() {
        return List.of(
                "-Xint",
                "-XX:TieredStopAtLevel=1",
                "-XX:-TieredCompilation",
                "-XX:UseAVX=0",
                "-XX:UseAVX=1",
                "-XX:UseAVX=2",
                "-XX:UseAVX=3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-XX:UseAVX=0"})
    void kernelsAgreeOnSmallCasesWhereNothingIsCompiledToVectors(String mode) {
        String output = ChildJvm.run(BackendAgreement.class, mode, "vector", Long.toString(SEED), "2", SMALL, "2");
        assertTrue(output.endsWith("ALL BITS AGREE"), output);
    }

    @Tag("slow")
    @ParameterizedTest
    @MethodSource("everyMode")
    void everyKernelAgreesInterpretedCompiledByEitherCompilerAndAtEveryRegisterWidth(String mode) {
        boolean slow = mode.equals("-Xint") || mode.equals("-XX:UseAVX=0");
        String output = ChildJvm.run(
                BackendAgreement.class,
                mode,
                "vector",
                Long.toString(SEED),
                slow ? "16" : "64",
                slow ? "2000" : "400000",
                "1",
                "3");
        assertTrue(output.endsWith("ALL BITS AGREE"), output);
    }
}
