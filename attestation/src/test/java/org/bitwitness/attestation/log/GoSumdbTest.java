package org.bitwitness.attestation.log;

import static org.bitwitness.attestation.log.LogTestKit.logKey;
import static org.bitwitness.attestation.log.LogTestKit.rawEntries;
import static org.bitwitness.attestation.log.LogTestKit.witnessedSettings;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.bitwitness.attestation.OtherSoftware;
import org.bitwitness.attestation.note.Checkpoint;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.Sha256;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Go project's checksum-database code judges a log of ours.
 */
class GoSumdbTest {
    @TempDir
    static Path folder;

    private static Path program = Path.of("");
    private static Checkpoint old = new Checkpoint("none", 0, Hashing.sha256());

    @BeforeAll
    static void buildTheChecker() throws Exception {
        Path source = folder.resolve("checklog.go");
        try (InputStream in = GoSumdbTest.class.getResourceAsStream("checklog.go")) {
            Files.write(source, Objects.requireNonNull(in).readAllBytes());
        }
        program = GoSumdb.build(source);
        try (LocalTileLog log = LocalTileLog.open(folder.resolve("log"), witnessedSettings())) {
            old = log.append(rawEntries(0, 9))
                    .getFirst()
                    .verify(LogTestKit.twoWitnesses())
                    .checkpoint();
            log.append(rawEntries(9, 300));
        }
    }

    private static OtherSoftware.Result check(Path log, Sha256 oldRoot) throws Exception {
        return OtherSoftware.run(
                folder,
                List.of(
                        program.toString(),
                        log.toString(),
                        logKey().verifier().vkey(),
                        String.valueOf(old.size()),
                        Base64.getEncoder().encodeToString(oldRoot.bytes())));
    }

    @Test
    void acceptsCheckpointRecordsAndGrowthFromOurFiles() throws Exception {
        OtherSoftware.Result result = check(folder.resolve("log"), old.root());
        assertEquals("accepted 300 records", result.output().strip());
        assertEquals(0, result.exitCode());
    }

    @Test
    void refusesEachPlantedFault() throws Exception {
        List<String> answers = new ArrayList<>();
        for (String path :
                List.of("tile/entries/000", "tile/entries/001.p/44", "tile/0/000", "tile/0/001.p/44", "checkpoint")) {
            Path copy = copyWithFlippedBit(path);
            OtherSoftware.Result result = check(copy, old.root());
            assertEquals(2, result.exitCode(), path + ": " + result.output());
            answers.add(result.output());
        }
        assertTrue(answers.getLast().contains("invalid signature")
                || answers.getLast().contains("malformed"));
        OtherSoftware.Result otherPast = check(folder.resolve("log"), Hashing.sha256("another past"));
        assertEquals(2, otherPast.exitCode(), otherPast.output());
    }

    private static Path copyWithFlippedBit(String path) throws Exception {
        Path copy = Files.createTempDirectory(folder, "damaged-");
        LogReader reader = LogReader.open(FolderStore.existing(folder.resolve("log")), LogTestKit.twoWitnesses());
        for (String file : List.of(
                "checkpoint",
                "tile/entries/000",
                "tile/entries/001.p/44",
                "tile/0/000",
                "tile/0/001.p/44",
                "tile/1/000.p/1")) {
            Path target = copy.resolve(file);
            Files.createDirectories(Objects.requireNonNull(target.getParent()));
            byte[] bytes = Files.readAllBytes(folder.resolve("log").resolve(file));
            if (file.equals(path)) {
                bytes[30] ^= 1;
            }
            Files.write(target, bytes);
        }
        assertEquals(300, reader.size());
        return copy;
    }
}
