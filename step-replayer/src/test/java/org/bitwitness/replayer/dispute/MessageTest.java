package org.bitwitness.replayer.dispute;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.AuditUnit;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StepIndex;
import org.bitwitness.protocol.WorkerId;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.merkle.InclusionProof;
import org.bitwitness.protocol.record.Layout;
import org.bitwitness.protocol.record.Scalars;
import org.junit.jupiter.api.Test;

class MessageTest {
    private static final Sha256 A = Hashing.sha256(new byte[] {1});
    private static final Sha256 B = Hashing.sha256(new byte[] {2});

    private static List<Move> everyKind() {
        Move.Claim claim = new Move.Claim(A, List.of(A, B), List.of(B));
        return List.of(
                new Move.Open(
                        new RunId(A),
                        new CommitmentDigest(B),
                        new AuditUnit.Gradient(new StepIndex(1), new WorkerId(2)),
                        new InclusionProof(1, 3, List.of(A, B)),
                        "0a0b",
                        "0c",
                        60,
                        claim),
                new Move.Defence(claim),
                new Move.Halves(A, B),
                new Move.Entry(List.of(B)),
                new Move.Inputs(
                        A,
                        Scalars.initial(Layout.ofCount(2)),
                        List.of(new Move.OpenedEntry(7, List.of(A), List.of(B, A))),
                        List.of(new Move.OpenedTensor("wte", A, List.of(B)))),
                new Move.Receipt(100, 160),
                new Move.Ruling(
                        200,
                        Move.Outcome.BOTH_LOSE,
                        Move.Ground.OPERATOR,
                        List.of("reference", "vector"),
                        Optional.of(A)));
    }

    @Test
    void everyKindOfMessageIsReadAsItWasWritten() throws Exception {
        for (Move move : everyKind()) {
            Message message = new Message(3, Optional.of(B), move);
            Message read = Message.read(message.toBytes());
            assertEquals(message, read);
            assertArrayEquals(message.toBytes(), read.toBytes());
        }
    }

    @Test
    void everyFlippedBitIsRefusedOrMakesAnotherMessage() {
        for (Move move : everyKind()) {
            byte[] bytes = new Message(3, Optional.of(B), move).toBytes();
            for (int bit = 0; bit < 8 * bytes.length; bit++) {
                byte[] flipped = bytes.clone();
                flipped[bit / 8] ^= (byte) (1 << bit % 8);
                try {
                    assertArrayEquals(flipped, Message.read(flipped).toBytes(), "bit " + bit);
                } catch (DisputeException e) {
                    assertTrue(!e.getMessage().isEmpty());
                }
            }
        }
    }

    @Test
    void bytesAfterTheEndAKindNobodyKnowsAndAMessageOverTheLimitAreRefused() {
        byte[] bytes = new Message(1, Optional.of(A), new Move.Halves(A, B)).toBytes();
        assertRefused(Arrays.copyOf(bytes, bytes.length + 1), "after the last field");
        assertRefused(Arrays.copyOf(bytes, bytes.length - 1), "says");
        assertRefused(new byte[Message.MAX_BYTES + 1], "at most");
        byte[] unknown = CanonicalEncoder.of("dispute-message")
                .u64(1)
                .digest(A)
                .text("surprise")
                .bytes(new byte[] {1})
                .toBytes();
        assertRefused(unknown, "no message of kind \"surprise\"");
        byte[] unchained = CanonicalEncoder.of("dispute-message")
                .u64(1)
                .absent()
                .text("halves")
                .bytes(CanonicalEncoder.of("dispute-halves").digest(A).digest(B).toBytes())
                .toBytes();
        assertRefused(unchained, "exactly message 0");
    }

    private static void assertRefused(byte[] bytes, String why) {
        DisputeException refused = assertThrows(DisputeException.class, () -> Message.read(bytes));
        assertTrue(refused.getMessage().contains(why), refused.getMessage());
    }

    @Test
    void aMinuteIsTheLeastTimeForAnAnswer() {
        Move.Open open = (Move.Open) everyKind().getFirst();
        assertThrows(
                IllegalArgumentException.class,
                () -> new Move.Open(
                        open.runId(),
                        open.commitment(),
                        open.unit(),
                        open.inclusion(),
                        open.auditorKeyHex(),
                        open.refereeKeyHex(),
                        59,
                        open.claim()));
    }
}
