package org.bitwitness.kernels.program;

import java.util.Optional;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.record.Descriptor;
import org.bitwitness.protocol.record.DropoutSpec;
import org.bitwitness.protocol.record.InitialSpec;
import org.bitwitness.protocol.record.ModelSpec;

/** What a run's descriptor means to the kernels. */
public final class RunSetup {
    private RunSetup() {}

    public static ModelConfig model(Descriptor descriptor) {
        ModelSpec m = descriptor.model();
        return new ModelConfig(
                m.family(),
                m.vocab(),
                m.context(),
                m.width(),
                m.layers(),
                m.heads(),
                m.kvHeads(),
                m.headDim(),
                m.ff(),
                m.normEps(),
                m.ropeTheta(),
                m.tied(),
                dropouts(descriptor.dropout()));
    }

    /**
     * The run's numeric profile.
     *
     * @throws IllegalStateException if this version does not know it
     */
    public static NumericProfile profile(Descriptor descriptor) {
        try {
            return NumericProfile.of(descriptor.profile());
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    /**
     * The run's tensors, with the rotary table that the descriptor names.
     *
     * @throws IllegalStateException if this machine's {@code StrictMath} computes another table, or this version does
     *     not know the profile
     */
    public static ModelTensors tensors(Descriptor descriptor) {
        ModelConfig model = model(descriptor);
        ModelTensors tensors = ModelTensors.of(model, ParameterManifest.of(model), profile(descriptor));
        Optional<Sha256> computed = tensors.ropeTable().map(RopeTable::digest);
        Optional<Sha256> named = descriptor.model().ropeTable();
        if (!computed.equals(named)) {
            throw new IllegalStateException(
                    "the rotary table should have SHA-256 %s, this machine computes %s: load the run's own table"
                            .formatted(text(named), text(computed)));
        }
        return tensors;
    }

    /** How the gradients of so many workers become one. */
    public static CombineRule reduction(Descriptor descriptor, int workers) {
        return CombineRule.of(
                descriptor.aggregation().reduction(), descriptor.aggregation().tree(), workers);
    }

    /** How state 0 is drawn; empty where it is given from outside. */
    public static Optional<HostState.InitialWeights> initialWeights(Descriptor descriptor) {
        return switch (descriptor.initial()) {
            case InitialSpec.Seed seed ->
                Optional.of(new HostState.InitialWeights(seed.seed(), seed.std(), seed.projStd()));
            case InitialSpec.External _ -> Optional.empty();
        };
    }

    private static ModelConfig.Dropouts dropouts(DropoutSpec d) {
        return new ModelConfig.Dropouts(rate(d.embd()), rate(d.attn()), rate(d.resid()));
    }

    private static DropoutRate rate(DropoutSpec.Rate rate) {
        return DropoutRate.of(rate.rate());
    }

    private static String text(Optional<Sha256> digest) {
        return digest.map(Sha256::hex).orElse("none");
    }
}
