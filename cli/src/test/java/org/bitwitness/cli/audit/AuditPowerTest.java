package org.bitwitness.cli.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.bitwitness.cli.CommandLineRun;
import org.junit.jupiter.api.Test;

class AuditPowerTest {
    private static JsonNode power(long steps, long bad, long audits) throws Exception {
        CommandLineRun run = CommandLineRun.of(
                "audit", "power", "--json", "--steps", "" + steps, "--bad", "" + bad, "--audits", "" + audits);
        assertEquals(0, run.exitCode(), run.err());
        return new ObjectMapper().readTree(run.out());
    }

    @Test
    void agreesWithTheHypergeometricFormula() throws Exception {
        assertEquals(0.2, power(10, 1, 2).get("power").asDouble(), 1e-15);
        // 1 − C(7,2)/C(10,2) = 1 − 21/45
        assertEquals(1 - 21.0 / 45, power(10, 3, 2).get("power").asDouble(), 1e-15);
        assertEquals(1.0, power(10, 3, 8).get("power").asDouble());
    }

    @Test
    void saysHowManyAuditsALongRunNeeds() throws Exception {
        assertEquals(76_910, power(80_957, 1, 0).get("auditsFor95Percent").asLong());
        long some = power(80_957, 100, 2_390).get("auditsFor95Percent").asLong();
        assertTrue(Math.abs(some - 2_390) < 20, "needs " + some);
        long few = power(80_957, 810, 300).get("auditsFor95Percent").asLong();
        assertTrue(Math.abs(few - 300) < 5, "needs " + few);
    }

    @Test
    void refusesMoreBadStepsThanSteps() {
        CommandLineRun run = CommandLineRun.of("audit", "power", "--steps", "5", "--bad", "6", "--audits", "1");
        assertEquals(1, run.exitCode());
        assertTrue(run.err().contains("--bad"), run.err());
    }
}
