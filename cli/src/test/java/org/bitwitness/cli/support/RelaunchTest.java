package org.bitwitness.cli.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RelaunchTest {
    /** Waits for ever, under the watch of the parent that the property names. */
    static final class Orphan {
        public static void main(String[] args) throws InterruptedException {
            ParentWatch.start();
            System.out.println("started");
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    /** A parent that does nothing. */
    static final class Sleeper {
        public static void main(String[] args) throws IOException {
            int first = System.in.read();
            System.out.println(first);
        }
    }

    @Test
    void aChildRunsTheSameCommandLine() throws Exception {
        ChildJvm child = ChildJvm.run(Relaunch.command(List.of("--version")));
        assertEquals(0, child.exitCode(), child.output());
        assertTrue(child.output().startsWith("bitwitness "), child.output());
    }

    @Test
    void aChildThatFailsHandsOnItsExitCode() throws Exception {
        ChildJvm child = ChildJvm.run(Relaunch.command(List.of("no-such-command")));
        assertEquals(1, child.exitCode(), child.output());
    }

    @Test
    void aChildThatComputesGetsTheVectorModuleAndOthersDoNot() {
        assertTrue(Relaunch.command(List.of("train-worker")).contains(JvmFlags.VECTOR));
        assertTrue(!Relaunch.command(List.of("witness", "serve")).contains(JvmFlags.VECTOR));
    }

    @Test
    void flagsOfTheCallerComeLastAndWin() {
        List<String> command = Relaunch.command(List.of("train-worker"), List.of("-Xmx123m"));
        assertTrue(command.indexOf("-Xmx123m") > command.lastIndexOf(JvmFlags.VECTOR), command.toString());
        assertTrue(command.indexOf("-Xmx123m") < command.indexOf("-cp"), command.toString());
    }

    @Test
    void aChildEndsWhenItsParentIsKilled() throws Exception {
        Process parent = new ProcessBuilder(ChildJvm.command(List.of(), Sleeper.class)).start();
        String property = "-D" + ParentWatch.PARENT + "=" + parent.pid();
        Process orphan = new ProcessBuilder(ChildJvm.command(List.of(property), Orphan.class)).start();
        try {
            assertEquals("started", orphan.inputReader().readLine());
            assertTrue(orphan.isAlive());
            parent.destroyForcibly();
            assertTrue(orphan.waitFor(60, TimeUnit.SECONDS), "the child outlived its parent");
            assertEquals(143, orphan.exitValue());
        } finally {
            parent.destroyForcibly();
            orphan.destroyForcibly();
        }
    }
}
