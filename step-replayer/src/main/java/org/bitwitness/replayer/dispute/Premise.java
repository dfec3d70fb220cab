package org.bitwitness.replayer.dispute;

import java.util.Arrays;
import org.bitwitness.protocol.DescriptorDigest;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.format.DescriptorJson;
import org.bitwitness.protocol.record.Commitment;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.OpenExt;
import org.bitwitness.protocol.record.StepRecord;

/**
 * What both sides start from: four pieces of a recording, each bound by hashes to the commitment that the dispute names.
 *
 * @param open the run's first commitment, which names trainer and descriptor
 * @param commitment the one that the step stands under
 * @param record of the disputed step
 */
public record Premise(Commitment open, Commitment commitment, Descriptor descriptor, StepRecord record) {

    /**
     * Reads the pieces and binds them to the first message.
     *
     * @throws DisputeException if one is not what that message, or OPEN, says it is
     */
    public static Premise of(
            Move.Open move, byte[] openBytes, byte[] commitmentBytes, byte[] descriptorBytes, byte[] recordBytes)
            throws DisputeException {
        try {
            Commitment open = Commitment.decode(openBytes);
            Commitment commitment = Commitment.decode(commitmentBytes);
            require(
                    open.open().isPresent() && open.runId().equals(move.runId()),
                    "OPEN is not that of run " + move.runId());
            require(commitment.runId().equals(move.runId()), "the commitment belongs to run " + commitment.runId());
            require(
                    commitment.digest().equals(move.commitment()),
                    "the commitment should be %s, is %s".formatted(move.commitment(), commitment.digest()));
            OpenExt ext = open.open().orElseThrow();
            DescriptorDigest digest = new DescriptorDigest(Hashing.sha256(descriptorBytes));
            require(
                    digest.equals(ext.descriptorDigest()),
                    "the descriptor should have SHA-256 %s, has %s".formatted(ext.descriptorDigest(), digest));
            StepRecord record = StepRecord.decode(recordBytes);
            require(
                    Arrays.equals(record.toBytes(), recordBytes),
                    "the step record is not the one spelling of what it says");
            require(
                    record.step().equals(move.unit().step()) && record.runId().equals(move.runId()),
                    "the record should be that of step %s, is that of step %s"
                            .formatted(move.unit().step(), record.step()));
            require(
                    move.inclusion().treeSize() == commitment.endStep()
                            && move.inclusion()
                                    .proves(
                                            record.leafHash(),
                                            commitment.stepsRoot().digest()),
                    "the step record does not stand under the commitment");
            return new Premise(open, commitment, DescriptorJson.read(descriptorBytes), record);
        } catch (ProtocolException e) {
            throw new DisputeException("premise: " + e.getMessage(), e);
        }
    }

    private static void require(boolean holds, String otherwise) throws DisputeException {
        if (!holds) {
            throw new DisputeException("premise: " + otherwise);
        }
    }

    /** The trainer's key that OPEN names, DER in hex. */
    public String trainerKeyHex() {
        return open.open().orElseThrow().trainerKeyHex();
    }
}
