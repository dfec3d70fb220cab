package org.bitwitness.datasets;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class TextFormTest {
    @Test
    void aLeadingByteOrderMarkAndCarriageReturnsDoNotChangeTheText() throws DatasetException {
        assertEquals("a\nb\n", form("a\nb\n"));
        assertEquals("a\nb\n", form("\uFEFFa\r\nb\r\n"));
        assertEquals("a\nb", form("\uFEFF\uFEFFa\r\r\nb"));
    }

    @Test
    void aMarkInsideTheTextAndALoneCarriageReturnAreKept() throws DatasetException {
        assertEquals("a\uFEFFb\rc", form("a\uFEFFb\rc"));
    }

    @Test
    void theFormIsItsOwnForm() throws DatasetException {
        for (String text : new String[] {"", "\r\r\r\n\n", "\uFEFF\uFEFF\uFEFFx", "\r\n\uFEFF", "é\r\n"}) {
            byte[] once = TextForm.of(text.getBytes(UTF_8), "text");
            assertTrue(TextForm.isNormal(once));
            assertEquals(new String(once, UTF_8), form(new String(once, UTF_8)));
        }
        assertFalse(TextForm.isNormal("a\r\n".getBytes(UTF_8)));
        assertFalse(TextForm.isNormal("\uFEFFa".getBytes(UTF_8)));
    }

    @Test
    void bytesThatAreNotUtf8AreNamed() {
        DatasetException e = assertThrows(
                DatasetException.class, () -> TextForm.of(new byte[] {'a', 'b', (byte) 0xC3, 'x'}, "part-7.txt"));
        assertTrue(e.getMessage().contains("part-7.txt"), e.getMessage());
        assertTrue(e.getMessage().contains("byte 2"), e.getMessage());
    }

    private static String form(String text) throws DatasetException {
        return new String(TextForm.of(text.getBytes(UTF_8), "text"), UTF_8);
    }
}
