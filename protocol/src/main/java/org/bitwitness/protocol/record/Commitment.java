package org.bitwitness.protocol.record;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.bitwitness.protocol.ChainHash;
import org.bitwitness.protocol.CommitmentDigest;
import org.bitwitness.protocol.Hashing;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.ReleasedRoot;
import org.bitwitness.protocol.RunId;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.StepsRoot;
import org.bitwitness.protocol.bytes.CanonicalDecoder;
import org.bitwitness.protocol.bytes.CanonicalEncoder;
import org.bitwitness.protocol.merkle.MerkleTree;

/**
 * What a trainer signs and logs about everything recorded so far. The first one, OPEN, names the run.
 *
 * @param sequence 0 for OPEN, then one more each time
 * @param previousDigest digest of the commitment before; absent in OPEN
 * @param endStep steps 0 to {@code endStep} − 1 are committed
 * @param stateRoot root of state {@code endStep}
 * @param releasedRoot root of the released folder; present exactly in the final commitment of a finished run
 * @param newFiles files that no earlier commitment lists, by path
 * @param open present exactly in OPEN
 */
public record Commitment(
        RunId runId,
        long sequence,
        Optional<CommitmentDigest> previousDigest,
        long endStep,
        StepsRoot stepsRoot,
        ChainHash chainHash,
        StateRoot stateRoot,
        Optional<ReleasedRoot> releasedRoot,
        List<FileEntry> newFiles,
        Optional<OpenExt> open) {
    public static final int MAX_FILES = 1 << 20;
    private static final int MAX_EXT_BYTES = 1 << 16;

    public Commitment {
        newFiles = List.copyOf(newFiles);
        boolean first = sequence == 0;
        require(sequence >= 0 && endStep >= 0, "sequence and endStep cannot be negative");
        require(previousDigest.isEmpty() == first, "exactly OPEN (sequence 0) has no previousDigest");
        require(open.isPresent() == first, "exactly OPEN (sequence 0) has an open part");
        require(!first || (endStep == 0 && releasedRoot.isEmpty()), "OPEN comes before step 0 and is not final");
        for (int i = 1; i < newFiles.size(); i++) {
            require(
                    newFiles.get(i - 1).path().compareTo(newFiles.get(i).path()) < 0,
                    "newFiles are ordered by path, each once");
        }
        if (first) {
            OpenExt ext = open.orElseThrow();
            require(stepsRoot.digest().equals(MerkleTree.EMPTY_ROOT), "OPEN's stepsRoot is that of the empty tree");
            require(ext.initialState().equals(stateRoot), "OPEN's stateRoot is the initial state's");
            require(chainHash.digest().equals(runId.digest()), "OPEN's chainHash is the runId");
            RunId named = nameOf(newFiles, ext);
            require(named.equals(runId), "OPEN's runId should be " + named + ", is " + runId);
        }
    }

    /** OPEN: named by its own bytes with runId, previousDigest and chainHash absent. */
    public static Commitment open(List<FileEntry> newFiles, OpenExt open) {
        List<FileEntry> files = sorted(newFiles);
        RunId runId = nameOf(files, open);
        return new Commitment(
                runId,
                0,
                Optional.empty(),
                0,
                new StepsRoot(MerkleTree.EMPTY_ROOT),
                new ChainHash(runId.digest()),
                open.initialState(),
                Optional.empty(),
                files,
                Optional.of(open));
    }

    /** The commitment after this one; a released root makes it the final one. */
    public Commitment next(
            StepChain chain, StateRoot stateRoot, Optional<ReleasedRoot> releasedRoot, List<FileEntry> newFiles) {
        return new Commitment(
                runId,
                sequence + 1,
                Optional.of(digest()),
                chain.stepCount(),
                chain.stepsRoot(),
                chain.chainHash(),
                stateRoot,
                releasedRoot,
                sorted(newFiles),
                Optional.empty());
    }

    /** True for the last commitment of a finished run. */
    public boolean isFinal() {
        return releasedRoot.isPresent();
    }

    /** SHA-256 of the canonical bytes. */
    public CommitmentDigest digest() {
        return new CommitmentDigest(Hashing.sha256(toBytes()));
    }

    public byte[] toBytes() {
        CanonicalEncoder out = CanonicalEncoder.of("commitment")
                .digest(runId.digest())
                .u64(sequence)
                .digest(previousDigest.map(CommitmentDigest::digest))
                .u64(endStep)
                .digest(stepsRoot.digest())
                .digest(chainHash.digest())
                .digest(stateRoot.digest())
                .flag(isFinal())
                .digest(releasedRoot.map(ReleasedRoot::digest))
                .list(newFiles.stream().map(FileEntry::toBytes).toList());
        return open.map(ext -> out.bytes(ext.toBytes())).orElseGet(out::absent).toBytes();
    }

    /** Reads a commitment; bytes that are not the one spelling of what they say are refused. */
    public static Commitment decode(byte[] encoded) throws ProtocolException {
        CanonicalDecoder in = CanonicalDecoder.open(encoded, "commitment");
        Sha256 runId = in.digest("runId");
        long sequence = in.u64("sequence");
        Optional<Sha256> previous = in.optionalDigest("previousDigest");
        long endStep = in.u64("endStep");
        Sha256 stepsRoot = in.digest("stepsRoot");
        Sha256 chainHash = in.digest("chainHash");
        Sha256 stateRoot = in.digest("stateRoot");
        boolean last = in.flag("final");
        Optional<Sha256> released = in.optionalDigest("releasedRoot");
        if (last != released.isPresent()) {
            throw ProtocolException.malformed("commitment.final: exactly the final commitment has a releasedRoot");
        }
        List<FileEntry> files = new ArrayList<>();
        for (byte[] item : in.list("newFiles", MAX_FILES)) {
            files.add(FileEntry.decode(item));
        }
        Optional<OpenExt> open =
                in.skipAbsent() ? Optional.empty() : Optional.of(OpenExt.decode(in.bytes("ext", MAX_EXT_BYTES)));
        Commitment commitment = in.build(() -> new Commitment(
                new RunId(runId),
                sequence,
                previous.map(CommitmentDigest::new),
                endStep,
                new StepsRoot(stepsRoot),
                new ChainHash(chainHash),
                new StateRoot(stateRoot),
                released.map(ReleasedRoot::new),
                files,
                open));
        if (!Arrays.equals(commitment.toBytes(), encoded)) {
            throw ProtocolException.malformed("commitment: not the one spelling of what it says");
        }
        return commitment;
    }

    private static RunId nameOf(List<FileEntry> files, OpenExt open) {
        return new RunId(CanonicalEncoder.of("commitment")
                .absent()
                .u64(0)
                .absent()
                .u64(0)
                .digest(MerkleTree.EMPTY_ROOT)
                .absent()
                .digest(open.initialState().digest())
                .flag(false)
                .absent()
                .list(files.stream().map(FileEntry::toBytes).toList())
                .bytes(open.toBytes())
                .hash());
    }

    private static List<FileEntry> sorted(List<FileEntry> files) {
        return files.stream().sorted(Comparator.comparing(FileEntry::path)).toList();
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalArgumentException(what);
        }
    }
}
