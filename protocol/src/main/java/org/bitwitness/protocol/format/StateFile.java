package org.bitwitness.protocol.format;

import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.bitwitness.protocol.DescriptorDigest;
import org.bitwitness.protocol.ProfileId;
import org.bitwitness.protocol.ProtocolException;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.StateIndex;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.record.Scalars;
import org.bitwitness.protocol.store.RecordingStore;
import org.bitwitness.protocol.tensor.TensorDigests;

/** A stored state: scalars, parameters, and moments named {@code m.} and {@code v.} plus the parameter's name. */
public final class StateFile implements AutoCloseable {
    private static final int MAX_SCALARS_BYTES = 1 << 16;

    private final Scalars scalars;
    private final SafetensorsFile model;
    private final SafetensorsFile optimizer;

    private StateFile(Scalars scalars, SafetensorsFile model, SafetensorsFile optimizer) {
        this.scalars = scalars;
        this.model = model;
        this.optimizer = optimizer;
    }

    static StateFile open(RecordingStore store, StateIndex index) throws ProtocolException {
        var path = RecordingPaths.stateScalars(index);
        Scalars scalars = ScalarsJson.read(store.readAll(path, MAX_SCALARS_BYTES), path.text());
        if (!scalars.stateIndex().equals(index)) {
            throw ProtocolException.unequal(
                    "%s: \"stateIndex\" should be %s, is %s", path, index, scalars.stateIndex());
        }
        SafetensorsFile model = SafetensorsFile.open(store, RecordingPaths.stateModel(index));
        boolean accepted = false;
        try {
            SafetensorsFile optimizer = SafetensorsFile.open(store, RecordingPaths.stateOptimizer(index));
            StateFile state = new StateFile(scalars, model, optimizer);
            for (String name : optimizer.tensors().keySet()) {
                if (model.tensors().containsKey(name)) {
                    optimizer.close();
                    throw ProtocolException.malformed(
                            "state %s: tensor %s is both in model and in optimizer", index, name);
                }
            }
            accepted = true;
            return state;
        } finally {
            if (!accepted) {
                model.close();
            }
        }
    }

    public Scalars scalars() {
        return scalars;
    }

    /** Tensors of {@code model.safetensors}. */
    public Map<String, TensorInfo> parameters() {
        return model.tensors();
    }

    /** Every tensor of the state. */
    public Map<String, TensorInfo> tensors() {
        Map<String, TensorInfo> all = new LinkedHashMap<>(model.tensors());
        all.putAll(optimizer.tensors());
        return Collections.unmodifiableMap(all);
    }

    /** All elements of an F32 tensor. */
    public float[] read(String name) throws ProtocolException {
        return holder(name).read(name);
    }

    /** Root over all tensors, from the bytes in the files. */
    public Sha256 tensorsRoot() throws ProtocolException {
        Map<String, byte[]> leaves = new HashMap<>();
        for (String name : tensors().keySet()) {
            leaves.put(name, holder(name).leaf(name));
        }
        return TensorDigests.tensorsRoot(leaves);
    }

    /** State root, from the bytes in the files. */
    public StateRoot stateRoot(ProfileId profile, DescriptorDigest descriptor) throws ProtocolException {
        return scalars.stateRoot(profile, descriptor, tensorsRoot());
    }

    @Override
    public void close() {
        model.close();
        optimizer.close();
    }

    private SafetensorsFile holder(String name) {
        return optimizer.tensors().containsKey(name) ? optimizer : model;
    }
}
