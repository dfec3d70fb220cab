package org.bitwitness.replayer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.program.HostState;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.tensor.Shape;
import org.junit.jupiter.api.Test;

class ProofBuilderTest {
    private static final Sha256 SALT = Hashing.sha256("salt");

    private static ProofBuilder over(Sha256 salt, float... changed) {
        ProofBuilder proof = new ProofBuilder(salt);
        for (int operator = 0; operator < 3; operator++) {
            float[] small = new float[10];
            float[] large = new float[300 * 4096];
            System.arraycopy(changed, 0, small, 0, changed.length);
            proof.slots(new ProofBuilder.Address(5, 1, 0, operator), slots(small));
            proof.slots(new ProofBuilder.Address(5, 1, 1, operator), slots(large, small));
        }
        return proof;
    }

    private static List<HostState.Slot> slots(float[]... tensors) {
        return Arrays.stream(tensors)
                .map(data -> new HostState.Slot("x", Shape.of(data.length), () -> data))
                .toList();
    }

    @Test
    void takesAtLeastOneChunkOfEveryOperatorAndAboutOneInSixtyFour() {
        long leaves = over(SALT).leaves();
        assertTrue(leaves >= 6 && leaves < 6 + 3 * 20, "took " + leaves);
    }

    @Test
    void isTheSameForTheSameTensorsAndSalt() {
        assertEquals(over(SALT).root(), over(SALT).root());
    }

    @Test
    void differsForAnotherSaltOrAnotherValue() {
        assertNotEquals(over(SALT).root(), over(Hashing.sha256("other")).root());
        assertNotEquals(over(SALT).root(), over(SALT, 1f).root());
    }

    @Test
    void aPartIsTheSameLeavesInTheSameOrderAndCountsOnlyAtItsEnd() {
        ProofBuilder direct = new ProofBuilder(SALT);
        ProofBuilder whole = new ProofBuilder(SALT);
        ProofBuilder.Part part = whole.new Part();
        for (int operator = 0; operator < 3; operator++) {
            List<HostState.Slot> outputs = slots(new float[300 * 4096], new float[] {operator});
            ProofBuilder.Address address = new ProofBuilder.Address(5, 1, 0, operator);
            direct.slots(address, outputs);
            part.slots(address, outputs);
        }
        assertEquals(0, whole.leaves());
        part.end();
        part.end();
        assertEquals(direct.leaves(), whole.leaves());
        assertEquals(direct.root(), whole.root());
    }

    @Test
    void isSaltedByAuditorChallengeAndUnit() {
        var key = Optional.of(new ReplaySalt.PublicKeyBytes(new byte[] {1}));
        var other = Optional.of(new ReplaySalt.PublicKeyBytes(new byte[] {2}));
        AuditUnit unit = AuditUnit.parse("STEP(1)");
        Sha256 salt = new ReplaySalt(key, Optional.of(SALT)).of(unit);
        assertNotEquals(salt, new ReplaySalt(other, Optional.of(SALT)).of(unit));
        assertNotEquals(salt, new ReplaySalt(key, Optional.empty()).of(unit));
        assertNotEquals(salt, new ReplaySalt(key, Optional.of(SALT)).of(AuditUnit.parse("STEP(2)")));
        assertEquals(salt, new ReplaySalt(key, Optional.of(SALT)).of(AuditUnit.parse("STEP(1)")));
    }
}
