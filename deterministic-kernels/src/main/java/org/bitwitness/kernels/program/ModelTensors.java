package org.bitwitness.kernels.program;

import java.util.List;
import java.util.Optional;
import org.bitwitness.kernels.Backend;
import org.bitwitness.kernels.Tensor;
import org.bitwitness.protocol.tensor.Shape;

/**
 * The tensors of a model that do not depend on the batch: parameters, their gradients, and LLaMA's rotary table. Programs
 * of several batch shapes share them.
 */
public final class ModelTensors {
    private final ModelConfig model;
    private final ParameterManifest manifest;
    private final NumericProfile profile;
    private final List<Tensor> parameters;
    private final List<Tensor> gradients;
    private final Optional<RopeTable> ropeTable;
    private final Optional<Rotation> rotation;

    /** The rotary table as tensors [context, headDim/2]. */
    record Rotation(Tensor cos, Tensor sin) {}

    private ModelTensors(
            ModelConfig model, ParameterManifest manifest, NumericProfile profile, Optional<RopeTable> ropeTable) {
        this.model = model;
        this.profile = profile;
        this.manifest = manifest;
        this.parameters = declare(manifest);
        this.gradients = declare(manifest);
        this.ropeTable = ropeTable;
        this.rotation = ropeTable.map(table -> new Rotation(
                Tensor.declare("rope.cos", Shape.of(table.context(), table.half())),
                Tensor.declare("rope.sin", Shape.of(table.context(), table.half()))));
    }

    /** With the rotary table that {@code StrictMath} computes, where the family has one. */
    public static ModelTensors of(ModelConfig model, ParameterManifest manifest, NumericProfile profile) {
        return of(model, manifest, profile, Optional.empty());
    }

    /** With a rotary table from elsewhere, where given. */
    public static ModelTensors of(
            ModelConfig model, ParameterManifest manifest, NumericProfile profile, Optional<RopeTable> given) {
        return switch (model.family()) {
            case GPT2, MLP -> {
                if (given.isPresent()) {
                    throw new IllegalArgumentException(
                            model.family().text() + " has no rotary embedding: leave the rope table out");
                }
                yield new ModelTensors(model, manifest, profile, Optional.empty());
            }
            case LLAMA -> {
                RopeTable table = given.orElseGet(() -> RopeTable.compute(model));
                if (table.context() < model.context() || table.half() != model.headDim() / 2) {
                    throw new IllegalArgumentException("the rope table should be [%d, %d], is [%d, %d]"
                            .formatted(model.context(), model.headDim() / 2, table.context(), table.half()));
                }
                yield new ModelTensors(model, manifest, profile, Optional.of(table));
            }
        };
    }

    public ModelConfig model() {
        return model;
    }

    public ParameterManifest manifest() {
        return manifest;
    }

    /** What its tensors are stored as. */
    public NumericProfile profile() {
        return profile;
    }

    /** In manifest order. */
    public List<Tensor> parameters() {
        return parameters;
    }

    /** In manifest order: what the operators of one micro-batch write. */
    public List<Tensor> gradients() {
        return gradients;
    }

    public Optional<RopeTable> ropeTable() {
        return ropeTable;
    }

    Rotation rotation() {
        return rotation.orElseThrow(() -> new IllegalStateException(model.family() + " has no rotary table"));
    }

    /** Gives the constants their contents. */
    public void bindConstants(Backend backend) {
        ropeTable.ifPresent(table -> {
            backend.bind(rotation().cos(), table.cos());
            backend.bind(rotation().sin(), table.sin());
        });
    }

    /** True for a tensor of the state. */
    public boolean isParameter(Tensor tensor) {
        return parameters.contains(tensor);
    }

    /** True for tensors that neither a step nor a state changes. */
    public boolean isConstant(Tensor tensor) {
        return rotation.filter(r -> r.cos().equals(tensor) || r.sin().equals(tensor))
                .isPresent();
    }

    Tensor parameter(String name) {
        return parameters.get(manifest.get(name).index());
    }

    Tensor gradient(String name) {
        return gradients.get(manifest.get(name).index());
    }

    private static List<Tensor> declare(ParameterManifest manifest) {
        return manifest.parameters().stream()
                .map(p -> Tensor.declare(p.name(), p.shape()))
                .toList();
    }
}
