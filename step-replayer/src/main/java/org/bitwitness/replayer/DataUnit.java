package org.bitwitness.replayer;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.datasets.Dataset;
import org.bitwitness.datasets.DatasetException;
import org.bitwitness.datasets.Document;
import org.bitwitness.datasets.ShardEntry;
import org.bitwitness.protocol.Phase;
import org.bitwitness.protocol.Resolution;
import org.bitwitness.protocol.Sha256;

/** {@code DATA(shard)}: the shard's tokens follow from its documents and the pinned tokenizer. */
final class DataUnit {
    private final CommittedRun run;
    private final ProofBuilder proof;

    DataUnit(CommittedRun run, ProofBuilder proof) {
        this.run = run;
        this.proof = proof;
    }

    /** @throws ReplayException if the dataset has no such shard */
    UnitOutcome replay(String name) throws ReplayException, StoreDamage {
        Dataset dataset = run.dataset();
        ShardEntry shard = shard(dataset, name);
        try {
            Sha256 computed = dataset.rebuildTokenRoot(shard);
            List<byte[]> texts = new ArrayList<>();
            for (Document document : dataset.documents(shard)) {
                texts.add(document.text());
            }
            proof.contents(
                    new ProofBuilder.Address(0, 0, 0, shard.index()),
                    texts.stream().map(Contents::of).toList());
            if (computed.equals(shard.tokenRoot())) {
                return new UnitOutcome.Same(computed);
            }
            return new UnitOutcome.Differs(Difference.withoutArithmetic(
                    Where.unit()
                            .phase(Phase.DATA)
                            .tensor(name)
                            .at(Resolution.UNIT, "the documents of " + name + " do not give the tokens of the shard"),
                    shard.tokenRoot(),
                    computed));
        } catch (DatasetException e) {
            throw new StoreDamage("the documents of %s cannot be used: %s".formatted(name, e.getMessage()), e);
        }
    }

    static ShardEntry shard(Dataset dataset, String name) throws ReplayException {
        try {
            return dataset.shard(name);
        } catch (DatasetException e) {
            throw new ReplayException(String.valueOf(e.getMessage()), e);
        }
    }
}
