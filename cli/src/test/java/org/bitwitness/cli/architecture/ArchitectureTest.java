package org.bitwitness.cli.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bitwitness.portal.planted.PortalThatReplays;
import org.bitwitness.portal.planted.PortalThatSigns;
import org.bitwitness.replayer.planted.ReplayerThatUsesTheRecorder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules hold over all modules, and each kind of rule is seen to fail on a class that breaks it. */
class ArchitectureTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("org.bitwitness");

    static Stream<String> everyRule() {
        return ArchitectureRules.all().stream().map(ArchRule::getDescription);
    }

    @ParameterizedTest
    @MethodSource("everyRule")
    void holds(String description) {
        ArchitectureRules.all().stream()
                .filter(rule -> rule.getDescription().equals(description))
                .forEach(rule -> rule.check(OURS));
    }

    @Test
    void theTableNamesEveryModule() {
        Set<String> found = OURS.stream()
                .map(type -> type.getPackageName().split("\\."))
                .filter(parts -> parts.length > 2)
                .map(parts -> parts[2])
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(new TreeSet<>(ArchitectureRules.MODULES.keySet()), found);
    }

    @Test
    void aReplayerThatUsesTheRecorderIsRefused() {
        assertRefuses(ArchitectureRules.module("replayer"), ReplayerThatUsesTheRecorder.class);
    }

    @Test
    void aPortalThatReplaysIsRefused() {
        assertRefuses(ArchitectureRules.module("portal"), PortalThatReplays.class);
    }

    @Test
    void aLibraryOutsideItsPackageIsRefused() {
        ArchitectureRules.Library bouncyCastle = ArchitectureRules.LIBRARIES.stream()
                .filter(library -> library.name().equals("Bouncy Castle"))
                .findFirst()
                .orElseThrow();
        assertRefuses(ArchitectureRules.library(bouncyCastle), PortalThatSigns.class);
    }

    @Test
    void printingOutsideTheCommandLineIsRefused() {
        assertRefuses(ArchitectureRules.onlyTheCommandLinePrintsResults(), PortalThatSigns.class);
    }

    @Test
    void aCycleBetweenModulesIsRefused() {
        JavaClasses withCycle = new ClassFileImporter()
                .importClasses(List.of(PortalThatReplays.class, ReplayerThatUsesTheRecorder.class));
        assertTrue(
                ArchitectureRules.noCyclesBetweenModules().evaluate(withCycle).hasViolation());
    }

    private static void assertRefuses(ArchRule rule, Class<?> planted) {
        assertTrue(rule.evaluate(new ClassFileImporter().importClasses(planted)).hasViolation(), rule.getDescription());
    }
}
