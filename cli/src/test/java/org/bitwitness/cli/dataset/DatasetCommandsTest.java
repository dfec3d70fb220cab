package org.bitwitness.cli.dataset;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.bitwitness.cli.Main;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatasetCommandsTest {
    @TempDir
    Path temp;

    private Path data;

    private record Outcome(int exit, String out, String err) {}

    @BeforeEach
    void buildOne() throws Exception {
        Path texts = Files.createDirectories(temp.resolve("texts"));
        Files.writeString(texts.resolve("a.txt"), "hello hello\n");
        Files.writeString(texts.resolve("b.txt"), "@|bold world|@\n");
        data = temp.resolve("data");
        Outcome built = run("dataset", "build", "--out", data.toString(), "--licence", "MIT", texts.toString());
        assertEquals(0, built.exit(), built.err());
        assertTrue(built.out().contains("2 documents, 29 tokens, 1 shards, root "), built.out());
    }

    @Test
    void anUntouchedDatasetVerifiesAndAFlippedBitExitsWith2() throws Exception {
        assertEquals(0, run("dataset", "verify", data.toString()).exit());
        Path shard = data.resolve("shard-00000.tokens");
        byte[] bytes = Files.readAllBytes(shard);
        bytes[40] ^= 1;
        Files.write(shard, bytes);
        Outcome refused = run("dataset", "verify", data.toString());
        assertEquals(2, refused.exit());
        assertTrue(refused.err().contains("shard-00000.tokens should have token root"), refused.err());
    }

    @Test
    void showPrintsTheRootAndASample() {
        Outcome shown = run("dataset", "show", data.toString());
        assertTrue(shown.out().contains("licence    MIT"), shown.out());
        Outcome sample = run("dataset", "show", data.toString(), "--sample", "0", "--context", "5");
        assertTrue(sample.out().contains("sample 0 of 5"), sample.out());
        assertTrue(sample.out().contains("hello"), sample.out());
        assertEquals(
                1,
                run("dataset", "show", data.toString(), "--sample", "5", "--context", "5")
                        .exit());
        Outcome json = run("dataset", "show", data.toString(), "--json");
        assertTrue(json.out().contains("\"vocab\" : 257"), json.out());
    }

    @Test
    void wrongUsageAndWhatIsNoDatasetExitWith1() {
        assertEquals(
                1,
                run("dataset", "build", "--out", temp.resolve("x").toString()).exit());
        Outcome exists = run("dataset", "build", "--out", data.toString(), temp.toString());
        assertEquals(1, exists.exit());
        assertTrue(exists.err().contains("exists"), exists.err());
        Outcome none = run("dataset", "verify", temp.toString());
        assertEquals(1, none.exit());
        assertTrue(none.err().contains("is not a dataset"), none.err());
        assertEquals(
                1,
                run(
                                "dataset",
                                "build",
                                "--out",
                                temp.resolve("x").toString(),
                                temp.resolve("no").toString())
                        .exit());
    }

    @Test
    void partsOfABuildAreNamedBelowTheirNames() throws Exception {
        Path texts = temp.resolve("texts");
        Path both = temp.resolve("both");
        String wiki = "wiki=" + texts;
        String code = "code=" + texts.resolve("b.txt");
        Outcome built = run("dataset", "build", "--out", both.toString(), "--part", wiki, "--part", code);
        assertEquals(0, built.exit(), built.err());
        Outcome shown = run("dataset", "show", both.toString());
        assertTrue(shown.out().contains("3 documents (code/b.txt to wiki/b.txt)"), shown.out());
        Outcome odd = run("dataset", "build", "--out", temp.resolve("odd").toString(), "--part", "..=" + texts);
        assertEquals(1, odd.exit());
        assertTrue(odd.err().contains("--part: a document name is relative"), odd.err());
    }

    private static Outcome run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exit = Main.run(new PrintWriter(out), new PrintWriter(err), arguments);
        return new Outcome(exit, out.toString(), err.toString());
    }
}
