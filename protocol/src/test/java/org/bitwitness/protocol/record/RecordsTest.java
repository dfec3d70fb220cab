package org.bitwitness.protocol.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.RecordingPath;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.format.DescriptorJson;
import org.bitwitness.protocol.format.SmallRecording;
import org.bitwitness.protocol.merkle.MerkleTree;
import org.junit.jupiter.api.Test;

/** Canonical bytes of the records: they come back the same, and no other bytes are accepted. */
class RecordsTest {
    private static final Descriptor DESCRIPTOR = SmallRecording.descriptor();
    private static final RunId RUN = new RunId(Hashing.sha256("run"));

    @Test
    void readsBackWhatItWrote() throws ProtocolException {
        StepRecord step = SmallRecording.step(DESCRIPTOR, RUN, 3);
        assertEquals(step, StepRecord.decode(step.toBytes()));
        Scalars scalars = SmallRecording.scalars(DESCRIPTOR, 3);
        assertEquals(scalars, Scalars.decode(scalars.toBytes()));
        for (Commitment commitment : commitments()) {
            assertEquals(commitment, Commitment.decode(commitment.toBytes()));
        }
    }

    @Test
    void acceptsNoOtherBytesForTheSameRecord() {
        long seed = Long.getLong("tests.seed", 20260101L);
        System.out.println("RecordsTest seed " + seed + " (set it with -Dtests.seed)");
        Random random = new Random(seed);
        for (int round = 0; round < 400; round++) {
            byte[] step = SmallRecording.step(DESCRIPTOR, RUN, round % 4).toBytes();
            assertOneSpelling(
                    step,
                    mutated(step, random),
                    bytes -> StepRecord.decode(bytes).toBytes());
            byte[] commitment = commitments().get(round % 2).toBytes();
            assertOneSpelling(
                    commitment,
                    mutated(commitment, random),
                    bytes -> Commitment.decode(bytes).toBytes());
            byte[] scalars = SmallRecording.scalars(DESCRIPTOR, round % 4).toBytes();
            assertOneSpelling(
                    scalars,
                    mutated(scalars, random),
                    bytes -> Scalars.decode(bytes).toBytes());
        }
    }

    @Test
    void namesOpenByItsBytesWithoutTheName() {
        Commitment open = commitments().getFirst();
        assertEquals(open.runId().digest(), open.chainHash().digest());
        Commitment other = Commitment.open(
                List.of(new FileEntry(new RecordingPath("descriptor.json"), 1, Hashing.sha256("x"))),
                open.open().orElseThrow());
        assertNotEquals(open.runId(), other.runId());
    }

    @Test
    void refusesAnOpenThatNamesAnotherRun() {
        Commitment open = commitments().getFirst();
        assertThrows(
                IllegalArgumentException.class,
                () -> new Commitment(
                        RUN,
                        0,
                        Optional.empty(),
                        0,
                        open.stepsRoot(),
                        new org.bitwitness.protocol.ChainHash(RUN.digest()),
                        open.stateRoot(),
                        Optional.empty(),
                        open.newFiles(),
                        open.open()));
    }

    @Test
    void refusesACommitmentWithoutItsPredecessorOrWithFilesOutOfOrder() {
        Commitment second = commitments().get(1);
        List<FileEntry> reversed = new ArrayList<>(List.of(
                new FileEntry(new RecordingPath("b"), 1, RUN.digest()),
                new FileEntry(new RecordingPath("a"), 1, RUN.digest())));
        assertThrows(IllegalArgumentException.class, () -> withFiles(second, second.previousDigest(), reversed));
        assertThrows(IllegalArgumentException.class, () -> withFiles(second, Optional.empty(), List.of()));
        List<FileEntry> twice = List.of(reversed.getFirst(), reversed.getFirst());
        assertThrows(IllegalArgumentException.class, () -> withFiles(second, second.previousDigest(), twice));
    }

    @Test
    void chainsStepsAsTheDefinitionSays() {
        StepChain chain = new StepChain(RUN);
        assertEquals(RUN.digest(), chain.chainHash().digest());
        assertEquals(MerkleTree.EMPTY_ROOT, chain.stepsRoot().digest());
        StepRecord a = SmallRecording.step(DESCRIPTOR, RUN, 0);
        StepRecord b = SmallRecording.step(DESCRIPTOR, RUN, 1);
        chain.add(a).add(b);
        assertEquals(
                MerkleTree.rootOf(List.of(a.toBytes(), b.toBytes())),
                chain.stepsRoot().digest());
        StepChain swapped = new StepChain(RUN).add(b).add(a);
        assertNotEquals(chain.chainHash(), swapped.chainHash());
        assertNotEquals(chain.stepsRoot(), swapped.stepsRoot());
    }

    @Test
    void advancesScalarsOverTheEndOfAnEpoch() {
        Scalars scalars = Scalars.initial(Layout.ofCount(2));
        assertEquals(1, scalars.rngCounter());
        Scalars next = scalars.after(true, 7, 10).after(true, 7, 10);
        assertEquals(new StateIndex(2), next.stateIndex());
        assertEquals(1, next.epoch());
        assertEquals(4, next.samplePosition());
        assertEquals(3, next.rngCounter());
        Scalars skipped = next.after(false, 7, 10);
        assertEquals(2, skipped.updateCount());
        assertEquals(3, skipped.rngCounter());
        assertEquals(3, skipped.schedulePosition());
        assertEquals(2, skipped.epoch());
        assertEquals(1, skipped.samplePosition());
    }

    @Test
    void hashesEveryScalarIntoTheStateRoot() {
        Scalars s = SmallRecording.scalars(DESCRIPTOR, 2);
        Sha256 other = Hashing.sha256("other layout");
        List<Scalars> variants = List.of(
                s,
                new Scalars(
                        new StateIndex(9),
                        s.updateCount(),
                        s.schedulePosition(),
                        s.rngCounter(),
                        s.epoch(),
                        s.samplePosition(),
                        1.0,
                        s.layoutDigest()),
                new Scalars(
                        s.stateIndex(),
                        9,
                        s.schedulePosition(),
                        s.rngCounter(),
                        s.epoch(),
                        s.samplePosition(),
                        1.0,
                        s.layoutDigest()),
                new Scalars(
                        s.stateIndex(),
                        s.updateCount(),
                        9,
                        s.rngCounter(),
                        s.epoch(),
                        s.samplePosition(),
                        1.0,
                        s.layoutDigest()),
                new Scalars(
                        s.stateIndex(),
                        s.updateCount(),
                        s.schedulePosition(),
                        9,
                        s.epoch(),
                        s.samplePosition(),
                        1.0,
                        s.layoutDigest()),
                new Scalars(
                        s.stateIndex(),
                        s.updateCount(),
                        s.schedulePosition(),
                        s.rngCounter(),
                        9,
                        s.samplePosition(),
                        1.0,
                        s.layoutDigest()),
                new Scalars(
                        s.stateIndex(),
                        s.updateCount(),
                        s.schedulePosition(),
                        s.rngCounter(),
                        s.epoch(),
                        99,
                        1.0,
                        s.layoutDigest()),
                new Scalars(
                        s.stateIndex(),
                        s.updateCount(),
                        s.schedulePosition(),
                        s.rngCounter(),
                        s.epoch(),
                        s.samplePosition(),
                        2.0,
                        s.layoutDigest()),
                new Scalars(
                        s.stateIndex(),
                        s.updateCount(),
                        s.schedulePosition(),
                        s.rngCounter(),
                        s.epoch(),
                        s.samplePosition(),
                        1.0,
                        other));
        Set<StateRoot> roots = new HashSet<>();
        variants.forEach(v -> roots.add(v.stateRoot(DESCRIPTOR.profile(), DescriptorJson.digest(DESCRIPTOR), other)));
        assertEquals(variants.size(), roots.size());
    }

    @Test
    void writesReductionTreesInOneSpelling() {
        assertEquals("[[[0,1],2],3]", ReductionTree.ofWord("ascending", 4).text());
        assertEquals(
                "[[[0,1],[2,3]],4]", ReductionTree.ofWord("binary-blocks", 5).text());
        assertEquals("0", ReductionTree.ofWord("ascending", 1).text());
        assertEquals("[[0,2],1]", ReductionTree.ofWord("[[0,2],1]", 3).text());
        for (String bad : List.of("[0,1", "[0, 1]", "[0,0]", "[0,2]", "[00,1]", "[0,1]x", "[[0,1],2]", "", "ring")) {
            assertThrows(IllegalArgumentException.class, () -> ReductionTree.ofWord(bad, 2), bad);
        }
        String deep = "[".repeat(5000);
        assertThrows(IllegalArgumentException.class, () -> ReductionTree.parse(deep, 2));
    }

    @Test
    void everyTreeThatAWordStandsForIsReadBackOrRefused() {
        for (int workers : new int[] {1, 2, 1024, 1025}) {
            String text = ReductionTree.ofWord("ascending", workers).text();
            assertEquals(text, ReductionTree.parse(text, workers).text());
        }
        for (int workers : new int[] {1026, ReductionTree.MAX_WORKERS}) {
            assertThrows(IllegalArgumentException.class, () -> ReductionTree.ofWord("ascending", workers));
            String text = ReductionTree.ofWord("binary-blocks", workers).text();
            assertEquals(text, ReductionTree.parse(text, workers).text());
        }
    }

    @Test
    void refusesDropoutConstantsThatDoNotFollowFromTheRate() {
        DropoutSpec.Rate rate = DropoutSpec.Rate.of(0.1);
        assertEquals(3865470566L, rate.threshold());
        assertThrows(
                IllegalArgumentException.class, () -> new DropoutSpec.Rate(0.1, rate.threshold() + 1, rate.drop()));
        assertThrows(
                IllegalArgumentException.class,
                () -> new DropoutSpec.Rate(0.1, rate.threshold(), Math.nextUp(rate.drop())));
        assertEquals(0xFFFF_FFFFL, DropoutSpec.Rate.of(0).threshold());
    }

    @Test
    void refusesPathsThatLeaveTheFolder() {
        for (String bad : List.of(
                "",
                "/etc/passwd",
                "../x",
                "a/../b",
                "a//b",
                "a/",
                ".hidden",
                "a/.x",
                "a\\b",
                "a b",
                "é",
                "a\u0000b",
                "C:x",
                "x".repeat(300),
                "a/b/c/d/e/f/g/h/i")) {
            assertThrows(IllegalArgumentException.class, () -> new RecordingPath(bad), bad);
        }
        assertEquals("steps", new RecordingPath("steps/000000000000.arrow").topFolder());
    }

    private interface Respell {
        byte[] respell(byte[] bytes) throws ProtocolException;
    }

    private static void assertOneSpelling(byte[] original, byte[] mutated, Respell codec) {
        byte[] again;
        try {
            again = codec.respell(mutated);
        } catch (ProtocolException refused) {
            return;
        }
        assertArrayEquals(mutated, again, "accepted bytes must be the one spelling of what they say");
        assertTrue(original.length > 0);
    }

    /** Flips a bit, cuts, doubles a stretch or drops one. */
    private static byte[] mutated(byte[] bytes, Random random) {
        int at = random.nextInt(bytes.length);
        int length = 1 + random.nextInt(Math.min(8, bytes.length - at));
        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        out.write(bytes, 0, at);
        switch (random.nextInt(4)) {
            case 0 -> {
                out.write(bytes[at] ^ (1 << random.nextInt(8)));
                out.write(bytes, at + 1, bytes.length - at - 1);
            }
            case 1 -> out.write(bytes, at, length);
            case 2 -> {
                out.write(bytes, at, length);
                out.write(bytes, at, bytes.length - at);
            }
            default -> out.write(bytes, at + length, bytes.length - at - length);
        }
        return out.toByteArray();
    }

    private static Commitment withFiles(Commitment c, Optional<CommitmentDigest> previous, List<FileEntry> files) {
        return new Commitment(
                c.runId(),
                c.sequence(),
                previous,
                c.endStep(),
                c.stepsRoot(),
                c.chainHash(),
                c.stateRoot(),
                c.releasedRoot(),
                files,
                c.open());
    }

    private static List<Commitment> commitments() {
        StateRoot initial = SmallRecording.stateRoot(DESCRIPTOR, SmallRecording.scalars(DESCRIPTOR, 0));
        Commitment open = Commitment.open(
                List.of(),
                OpenExt.of(
                        DescriptorJson.digest(DESCRIPTOR),
                        DESCRIPTOR.data().datasetRoot(),
                        initial,
                        new byte[] {0x30, 0x00},
                        SmallRecording.policy()));
        StepChain chain = new StepChain(open.runId());
        chain.add(SmallRecording.step(DESCRIPTOR, open.runId(), 0));
        FileEntry file = new FileEntry(new RecordingPath("steps/000000000000.arrow"), 12, Hashing.sha256("f"));
        return List.of(open, open.next(chain, initial, Optional.empty(), List.of(file)));
    }
}
