package org.bitwitness.attestation.note;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.bitwitness.attestation.AttestationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CheckpointTest {
    private static final String ROOT = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=";

    @Test
    void readsAndWritesTheExampleOfTheSpecification() throws AttestationException {
        String text = "example.com/behind-the-sofa\n20852163\n" + ROOT + "\n";
        Checkpoint checkpoint = Checkpoint.parse(text);
        assertEquals("example.com/behind-the-sofa", checkpoint.origin());
        assertEquals(20852163L, checkpoint.size());
        assertEquals(text, checkpoint.text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "example.com/log\n020\n" + ROOT + "\n",
                "example.com/log\n+20\n" + ROOT + "\n",
                "example.com/log\n-1\n" + ROOT + "\n",
                "example.com/log\n 20\n" + ROOT + "\n",
                "example.com/log\n٢٠\n" + ROOT + "\n",
                "example.com/log\n9223372036854775808\n" + ROOT + "\n",
                "example.com/log\n99999999999999999999999\n" + ROOT + "\n",
                "example.com/log\n\n" + ROOT + "\n",
                "\n20\n" + ROOT + "\n",
                "two words\n20\n" + ROOT + "\n",
                "example.com/log\n20\n" + ROOT + "\nextension\n",
                "example.com/log\n20\n" + ROOT,
                "example.com/log\n20\n",
                "example.com/log\n20\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I\n",
                "example.com/log\n20\nCsUYapGGPo4dkMgIAUqom_Xajj7h2fB2MPA3j2jxq2I=\n",
                "example.com/log\n20\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2J=\n",
                "example.com/log\n20\nAAAA\n",
            })
    void refusesEveryOtherSpelling(String text) {
        AttestationException e = assertThrows(AttestationException.class, () -> Checkpoint.parse(text));
        assertEquals(AttestationException.Kind.MALFORMED, e.kind());
    }
}
