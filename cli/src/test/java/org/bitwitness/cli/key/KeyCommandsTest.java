package org.bitwitness.cli.key;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.bitwitness.cli.Main;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyCommandsTest {
    @TempDir
    Path temp;

    private record Outcome(int exit, String out, String err) {}

    @Test
    void makesAndShowsAKeyWithoutItsSecret() throws Exception {
        Path folder = temp.resolve("alice");
        assertEquals(0, run("key", "new", "--out", folder.toString()).exit());
        Outcome shown = run("key", "show", folder.toString());
        assertEquals(0, shown.exit(), shown.err());
        assertTrue(shown.out().contains("-----BEGIN PUBLIC KEY-----"), shown.out());
        assertFalse(shown.out().contains("PRIVATE"), shown.out());
        assertEquals(
                shown.out(),
                run("key", "show", folder.resolve("public.pem").toString()).out());
        assertEquals(1, run("key", "new", "--out", folder.toString()).exit(), "never overwrites");
    }

    @Test
    void makesKeysForLogsAndWitnesses() {
        for (String role : new String[] {"log", "witness"}) {
            String folder = temp.resolve(role).toString();
            Outcome made = run(
                    "key", "new", "--type", "ed25519", "--for", role, "--name", role + ".example/x", "--out", folder);
            assertEquals(0, made.exit(), made.err());
            assertTrue(made.out().contains("vkey " + role + ".example/x+"), made.out());
            assertTrue(run("key", "show", folder).out().contains("vkey " + role + ".example/x+"));
        }
        assertEquals(
                1,
                run(
                                "key",
                                "new",
                                "--type",
                                "ed25519",
                                "--out",
                                temp.resolve("x").toString())
                        .exit());
    }

    @Test
    void warnsWhenOthersCanReadThePrivateFile() throws Exception {
        Path folder = temp.resolve("alice");
        run("key", "new", "--out", folder.toString());
        Files.setPosixFilePermissions(folder.resolve("private.pem"), PosixFilePermissions.fromString("rw-r--r--"));
        assertTrue(run("key", "show", folder.toString()).err().contains("chmod 600"));
    }

    @Test
    void namesWhatIsNoKey() throws Exception {
        Path file = Files.writeString(temp.resolve("notes.txt"), "hello");
        Outcome outcome = run("key", "show", file.toString());
        assertEquals(1, outcome.exit(), "nothing was verified");
        assertTrue(outcome.err().contains(file.toString()), outcome.err());
        assertTrue(outcome.err().contains("expected exactly one PEM block"), outcome.err());
        assertEquals(1, run("key", "rotate", temp.toString()).exit(), "says what is missing");
    }

    private static Outcome run(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exit = Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
        return new Outcome(exit, out.toString(), err.toString());
    }
}
