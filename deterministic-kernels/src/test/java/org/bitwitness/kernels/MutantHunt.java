package org.bitwitness.kernels;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;

/** Runs what a named test runs against code with a planted fault. */
final class MutantHunt {
    /** As the tests that it stands for: the same seed and as many cases. */
    private static final int CASES = BackendAgreementTest.CASES;

    private MutantHunt() {}

    /** What the mutant's killer says about it; empty when the fault stays unseen. A crash counts as seen. */
    static List<String> findings(SourceMutant mutant) {
        MutantLoader loader = MutantLoader.of(mutant);
        try {
            if (mutant.file().startsWith("reference/")) {
                return findings(mutant.killer(), backend(loader, "reference.ReferenceBackendProvider", 1));
            }
            if (mutant.file().startsWith("vector/")) {
                // Some kernels split their work otherwise where one thread does it all.
                List<String> shared = findings(mutant.killer(), backend(loader, "vector.VectorBackendProvider", 2));
                return shared.isEmpty()
                        ? findings(mutant.killer(), backend(loader, "vector.VectorBackendProvider", 1))
                        : shared;
            }
            Method hunt =
                    loader.loadClass(MutantHunt.class.getName()).getDeclaredMethod("inAModuleOfItsOwn", String.class);
            hunt.setAccessible(true);
            Object found = hunt.invoke(null, mutant.killer());
            return List.of(String.valueOf(found)).stream()
                    .filter(f -> !f.isEmpty())
                    .toList();
        } catch (InvocationTargetException e) {
            return List.of("crashed: " + e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Backend backend(MutantLoader loader, String provider, int threads)
            throws ReflectiveOperationException {
        BackendProvider made = (BackendProvider) loader.loadClass("org.bitwitness.kernels." + provider)
                .getDeclaredConstructor()
                .newInstance();
        return made.create(threads);
    }

    /** Called in the mutant's class loader; speaks in strings, which both sides share. */
    static String inAModuleOfItsOwn(String killer) {
        return String.join("\n", findings(killer, Backends.create(BackendId.REFERENCE, 1)));
    }

    private static List<String> findings(String killer, Backend backend) {
        String[] words = killer.split(" ", 2);
        try (backend) {
            return switch (words[0]) {
                case "BackendAgreementTest" ->
                    BackendAgreement.firstDifference(words[1], backend, BackendAgreementTest.SEED, CASES);
                case "GoldenRunTest" -> GoldenRun.differences(words[1], backend, 3);
                case "FunctionTest" -> FunctionTest.differences(ScalarFunction.parse(words[1]), backend);
                case "GradientTest" -> GradientTest.differences(words[1], backend);
                case "TrainingRunTest" -> TrainingRunTest.differences(words[1], backend);
                case "SignedZeroTest" -> SignedZeroTest.differences(words[1], backend);
                case "EconomyTest" -> EconomyTest.differences(words[1]);
                default -> throw new IllegalStateException("no test is called " + killer);
            };
        } catch (IndexOutOfBoundsException | IllegalArgumentException | NullPointerException e) {
            return List.of("crashed: " + e);
        }
    }
}
