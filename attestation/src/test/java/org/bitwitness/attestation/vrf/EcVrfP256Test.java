package org.bitwitness.attestation.vrf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;
import org.bitwitness.attestation.AttestationException;
import org.bitwitness.attestation.keys.SigningKey;
import org.bitwitness.attestation.keys.VerifyingKey;
import org.bitwitness.protocol.Sha256;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Known answers: RFC 9381 appendix B.1, examples 10, 11 and 12. */
class EcVrfP256Test {
    private static final byte[] SAMPLE = "sample".getBytes(StandardCharsets.UTF_8);
    private static final String SK = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721";
    private static final String BETA = "a3ad7b0ef73d8fc6655053ea22f9bede8c743f08bbed3d38821f0e16474b505e";

    @ParameterizedTest
    @CsvSource({
        SK + ",sample,035b5c726e8c0e2c488a107c600578ee75cb702343c153cb1eb8dec77f4b5071b4a53f0a46f018bc2c56e58d383f2305"
                + "e0975972c26feea0eb122fe7893c15af376b33edf7de17c6ea056d4d82de6bc02f," + BETA,
        SK + ",test,034dac60aba508ba0c01aa9be80377ebd7562c4a52d74722e0abae7dc3080ddb56c19e067b15a8a8174905b136178045"
                + "34214f935b94c2287f797e393eb0816969d864f37625b443f30f1a5a33f2b3c854,"
                + "a284f94ceec2ff4b3794629da7cbafa49121972671b466cab4ce170aa365f26d",
        "2ca1411a41b17b24cc8c3b089cfd033f1920202a6c0de8abb97df1498d50d2c8,"
                + "Example using ECDSA key from Appendix L.4.2 of ANSI.X9-62-2005,"
                + "03d03398bf53aa23831d7d1b2937e005fb0062cbefa06796579f2a1fc7e7b8c667d091c00b0f5c3619d10ecea44363b5a599"
                + "cadc5b2957e223fec62e81f7b4825fc799a771a3d7334b9186bdbee87316b1,"
                + "90871e06da5caa39a3c61578ebb844de8635e27ac0b13e829997d0d95dd98c19",
    })
    void provesAndVerifiesTheKnownAnswers(String sk, String alpha, String pi, String beta) throws Exception {
        SigningKey key = SigningKey.ofScalar(HexFormat.of().parseHex(sk));
        byte[] alphaBytes = alpha.getBytes(StandardCharsets.UTF_8);
        assertEquals(pi, EcVrfP256.prove(key, alphaBytes).hex());
        assertEquals(
                Optional.of(Sha256.ofHex(beta)), EcVrfP256.verify(key.verifyingKey(), alphaBytes, VrfProof.ofHex(pi)));
    }

    @Test
    void refusesEveryFlippedBitOfTheProof() throws Exception {
        SigningKey key = key();
        byte[] pi = EcVrfP256.prove(key, SAMPLE).bytes();
        for (int bit = 0; bit < pi.length * 8; bit++) {
            byte[] flipped = pi.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            assertEquals(
                    Optional.empty(),
                    EcVrfP256.verify(key.verifyingKey(), SAMPLE, new VrfProof(flipped)),
                    "bit " + bit + " of the proof flipped");
        }
    }

    @Test
    void refusesAnotherInputAndAnotherKey() throws Exception {
        SigningKey key = key();
        VrfProof proof = EcVrfP256.prove(key, SAMPLE);
        VerifyingKey other =
                SigningKey.ofScalar(HexFormat.of().parseHex("01".repeat(32))).verifyingKey();
        assertEquals(Optional.of(Sha256.ofHex(BETA)), EcVrfP256.verify(key.verifyingKey(), SAMPLE, proof));
        assertEquals(
                Optional.empty(),
                EcVrfP256.verify(key.verifyingKey(), "Sample".getBytes(StandardCharsets.UTF_8), proof));
        assertEquals(Optional.empty(), EcVrfP256.verify(other, SAMPLE, proof));
    }

    @Test
    void refusesAResponseThatIsNotReduced() throws Exception {
        // s + n is the same residue: accepting it would give one statement two proofs.
        SigningKey key = key();
        byte[] pi = EcVrfP256.prove(key, SAMPLE).bytes();
        byte[] tooLarge = pi.clone();
        java.util.Arrays.fill(tooLarge, 49, 81, (byte) 0xff);
        assertEquals(Optional.empty(), EcVrfP256.verify(key.verifyingKey(), SAMPLE, new VrfProof(tooLarge)));
    }

    @Test
    void refusesTextThatIsNoProof() {
        assertThrows(AttestationException.class, () -> VrfProof.ofHex("00"));
        assertThrows(AttestationException.class, () -> VrfProof.ofHex("0G".repeat(81)));
        assertThrows(AttestationException.class, () -> VrfProof.ofHex("zz".repeat(81)));
    }

    private static SigningKey key() throws AttestationException {
        return SigningKey.ofScalar(HexFormat.of().parseHex(SK));
    }
}
