package org.bitwitness.attestation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bitwitness.attestation.bundle.SigstoreBundle;
import org.bitwitness.attestation.bundle.SigstoreJsTest;
import org.bitwitness.attestation.bundle.TrustedRoot;
import org.bitwitness.attestation.log.GoSumdb;
import org.bitwitness.attestation.log.LogReader;
import org.bitwitness.attestation.log.LogReceipt;
import org.bitwitness.attestation.log.LogSources;
import org.bitwitness.attestation.log.TlogProof;
import org.bitwitness.attestation.statement.Samples;
import org.bitwitness.attestation.verify.AuditWorld;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.Verdict;
import org.bitwitness.protocol.record.BeaconMode;
import org.bitwitness.protocol.record.Commitment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The checks in docs/attestations.md, word for word, on a verdict of ours and on a changed one. */
class DocumentedChecksTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "attestations.md");
    private static final long VERDICT = 2;

    @TempDir
    Path folder;

    private AuditWorld world;

    @BeforeEach
    void makeWhatAVerifierHas() throws Exception {
        world = new AuditWorld(folder);
        Commitment open = Samples.open("a", BeaconMode.WITNESS_VRF);
        Commitment last = Samples.last(open, 10);
        world.commit(open);
        LogReceipt receipt = world.commit(last);
        SigstoreBundle bundle = world.bundle(
                AuditWorld.verdict(
                                last,
                                receipt,
                                OptionalLong.empty(),
                                AuditWorld.report(AuditUnit.parse("STEP(3)"), Verdict.REPRODUCED))
                        .toStatement(),
                AuditWorld.ALICE);
        Files.write(folder.resolve("verdict.sigstore.json"), bundle.toBytes());
        Files.writeString(
                folder.resolve("trust/trusted_root.json"),
                TrustedRoot.write(world.trust().witnesses().logs()));
        LogReader reader = LogReader.open(
                LogSources.at(world.logFolder.toString()), world.trust().witnesses());
        Files.writeString(
                folder.resolve("entry.tlog-proof"),
                TlogProof.of(reader.receipt(VERDICT)).text());
    }

    @AfterEach
    void close() throws Exception {
        world.close();
    }

    @Test
    void sigstoreJsAcceptsTheVerdictAndNoChangedOne() throws Exception {
        Path npm = OtherSoftware.npm(SigstoreJsTest.class, List.of("package.json", "verify.mjs"));
        // Packages are looked up beside the script, the files where it runs.
        Files.createSymbolicLink(folder.resolve("node_modules"), npm.resolve("node_modules"));
        Files.writeString(
                folder.resolve("verify.mjs"),
                blocks("With sigstore-js, offline", "js").getFirst());
        OtherSoftware.Result good = OtherSoftware.run(folder, List.of("node", "verify.mjs"));
        assertEquals("verified", good.output().strip());
        change("verdict.sigstore.json", "\"payload\":\"", 40);
        assertNotEquals(
                0, OtherSoftware.run(folder, List.of("node", "verify.mjs")).exitCode());
    }

    @Test
    void opensslAcceptsTheVerdictAndTheCheckpointAndNoChangedOnes() throws Exception {
        OtherSoftware.require("openssl", "version");
        OtherSoftware.require("python3", "--version");
        List<String> scripts = blocks("With openssl", "bash");
        assertEquals(2, scripts.size());
        for (String script : scripts) {
            OtherSoftware.Result result = OtherSoftware.run(folder, List.of("bash", "-ec", script));
            assertEquals(0, result.exitCode(), result.output());
            assertTrue(result.output().toLowerCase(Locale.ROOT).contains("verified"), result.output());
        }
        change("verdict.sigstore.json", "\"payload\":\"", 40);
        change("log/checkpoint", AuditWorld.ORIGIN, 0);
        for (String script : scripts) {
            assertNotEquals(
                    0, OtherSoftware.run(folder, List.of("bash", "-ec", script)).exitCode());
        }
    }

    @Test
    void goAcceptsTheProofAndNoChangedOne() throws Exception {
        Path source = Files.writeString(
                folder.resolve("checkproof.go"), blocks("With Go", "go").getFirst());
        Path program = GoSumdb.build(source);
        List<String> command = List.of(
                program.toString(),
                "entry.tlog-proof",
                world.logKey().verifier().vkey());
        OtherSoftware.Result good = OtherSoftware.run(folder, command);
        assertTrue(good.output().startsWith("entry 2 of " + AuditWorld.ORIGIN + " is {"), good.output());
        change("entry.tlog-proof", "extra ", 40);
        OtherSoftware.Result changed = OtherSoftware.run(folder, command);
        assertEquals(1, changed.exitCode(), changed.output());
    }

    /** Changes one letter behind a place in a file. */
    private void change(String file, String place, int behind) throws Exception {
        Path path = folder.resolve(file);
        StringBuilder text = new StringBuilder(Files.readString(path));
        int found = text.indexOf(place);
        assertTrue(found >= 0, () -> file + " has no " + place);
        int at = found + place.length() + behind;
        text.setCharAt(at, text.charAt(at) == 'A' ? 'B' : 'A');
        Files.writeString(path, text);
    }

    private static List<String> blocks(String heading, String language) throws Exception {
        Matcher section = Pattern.compile(
                        "^## " + Pattern.quote(heading) + "$(.*?)(?=^## |\\z)", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(Files.readString(DOCUMENT, UTF_8));
        assertTrue(section.find(), () -> DOCUMENT + " has no section " + heading);
        Matcher block = Pattern.compile("^```" + language + "$(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(Objects.requireNonNull(section.group(1)));
        return block.results().map(found -> found.group(1).strip() + "\n").toList();
    }
}
