package org.bitwitness.cli.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The module table of ARCHITECTURE.md as rules: who may import whom, and which library. */
final class ArchitectureRules {
    /** A library, the packages it has, and the only packages of ours that may use it. */
    record Library(String name, List<String> packages, List<String> allowedIn) {}

    /** What each module may import of ours, itself included. */
    static final Map<String, List<String>> MODULES = modules();

    static final List<Library> LIBRARIES = List.of(
            new Library("Spark", List.of("org.apache.spark..", "scala.."), List.of("org.bitwitness.scheduler.spark..")),
            new Library("Bouncy Castle", List.of("org.bouncycastle.."), List.of("org.bitwitness.attestation..")),
            new Library(
                    "Javalin",
                    List.of("io.javalin..", "org.eclipse.jetty..", "jakarta.servlet.."),
                    List.of("org.bitwitness.portal..")),
            new Library("JDBC", List.of("java.sql..", "javax.sql.."), List.of("org.bitwitness.portal..")),
            new Library("JCuda", List.of("jcuda.."), List.of("org.bitwitness.kernels.cuda..")),
            new Library("the Vector API", List.of("jdk.incubator.."), List.of("org.bitwitness.kernels.vector..")),
            new Library(
                    "Arrow",
                    List.of("org.apache.arrow.."),
                    List.of("org.bitwitness.protocol.format..", "org.bitwitness.datasets.arrow..")),
            new Library(
                    "tokenizers and Parquet",
                    List.of("ai.djl..", "com.knuddels..", "dev.hardwood.."),
                    List.of("org.bitwitness.datasets..")),
            new Library("picocli", List.of("picocli.."), List.of("org.bitwitness.cli..")),
            new Library("Hadoop", List.of("org.apache.hadoop.."), List.of("org.bitwitness.cli..")),
            new Library("Java deserialization", List.of("java.rmi..", "java.beans.."), List.of("none")));

    private ArchitectureRules() {}

    private static Map<String, List<String>> modules() {
        Map<String, List<String>> table = new LinkedHashMap<>();
        table.put("protocol", List.of());
        table.put("datasets", List.of("protocol"));
        table.put("kernels", List.of("protocol"));
        table.put("attestation", List.of("protocol"));
        table.put("recorder", List.of("protocol", "datasets", "kernels"));
        table.put("replayer", List.of("protocol", "datasets", "kernels"));
        table.put("scheduler", List.of("protocol", "datasets", "kernels", "replayer", "attestation"));
        table.put("portal", List.of("protocol", "attestation"));
        table.put(
                "cli",
                List.of(
                        "protocol",
                        "datasets",
                        "kernels",
                        "attestation",
                        "recorder",
                        "replayer",
                        "scheduler",
                        "portal"));
        return table;
    }

    /** No class of the module uses a module that the table does not list for it. */
    static ArchRule module(String module) {
        List<String> allowed = MODULES.getOrDefault(module, List.of());
        String[] others = MODULES.keySet().stream()
                .filter(other -> !other.equals(module) && !allowed.contains(other))
                .map(ArchitectureRules::packagesOf)
                .toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage(packagesOf(module))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others)
                .allowEmptyShould(true)
                .as(module + " imports of ours only " + allowed);
    }

    static ArchRule library(Library library) {
        return noClasses()
                .that()
                .resideInAPackage("org.bitwitness..")
                .and()
                .resideOutsideOfPackages(library.allowedIn().toArray(String[]::new))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(library.packages().toArray(String[]::new))
                .as("only " + library.allowedIn() + " uses " + library.name());
    }

    static ArchRule noCyclesBetweenModules() {
        return slices().matching("org.bitwitness.(*)..")
                .should()
                .beFreeOfCycles()
                .as("modules form no cycle");
    }

    /** Standard output belongs to results, which the command line alone prints. */
    static ArchRule onlyTheCommandLinePrintsResults() {
        return noClasses()
                .that()
                .resideInAPackage("org.bitwitness..")
                .and()
                .resideOutsideOfPackage("org.bitwitness.cli..")
                .should()
                .accessField(System.class, "out")
                .as("only cli writes to standard output");
    }

    static List<ArchRule> all() {
        List<ArchRule> rules = new ArrayList<>();
        MODULES.keySet().forEach(module -> rules.add(module(module)));
        LIBRARIES.forEach(library -> rules.add(library(library)));
        rules.add(noCyclesBetweenModules());
        rules.add(onlyTheCommandLinePrintsResults());
        return rules;
    }

    private static String packagesOf(String module) {
        return "org.bitwitness." + module + "..";
    }
}
