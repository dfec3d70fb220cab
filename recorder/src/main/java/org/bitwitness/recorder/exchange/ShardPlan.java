package org.bitwitness.recorder.exchange;

import java.util.ArrayList;
import java.util.List;
import org.bitwitness.kernels.SegmentSum;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.protocol.Sha256;
import org.bitwitness.protocol.merkle.MerkleHasher;
import org.bitwitness.protocol.tensor.DType;
import org.bitwitness.protocol.tensor.TensorDigests;

/**
 * Who combines what: all segments in manifest order, cut into one run of them for each worker, as equal in elements as segments
 * allow. A pure function of the model and the number of workers.
 */
public final class ShardPlan {
    private final List<Segment> segments;
    private final List<List<Segment>> byOwner;
    private final List<List<Segment>> byParameter;

    /**
     * A part of a parameter that is combined as one.
     *
     * @param index among all segments
     * @param owner position of the worker that combines it
     * @param place among its owner's segments
     */
    public record Segment(int index, int parameter, int offset, int length, int owner, int place) {}

    private ShardPlan(List<Segment> segments, int workers, int parameters) {
        this.segments = List.copyOf(segments);
        List<List<Segment>> owners = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            int owner = i;
            owners.add(segments.stream().filter(s -> s.owner() == owner).toList());
        }
        this.byOwner = List.copyOf(owners);
        List<List<Segment>> ofParameters = new ArrayList<>();
        for (int i = 0; i < parameters; i++) {
            ofParameters.add(new ArrayList<>());
        }
        segments.forEach(s -> ofParameters.get(s.parameter()).add(s));
        this.byParameter = ofParameters.stream().map(List::copyOf).toList();
    }

    public static ShardPlan of(ParameterManifest manifest, int workers) {
        if (workers < 1) {
            throw new IllegalArgumentException("a plan is for at least one worker, got " + workers);
        }
        long all = manifest.parameters().stream().mapToLong(Parameter::size).sum();
        List<Segment> segments = new ArrayList<>();
        int[] owned = new int[workers];
        long before = 0;
        for (Parameter p : manifest.parameters()) {
            for (int offset = 0; offset < p.size(); offset += SegmentSum.ELEMENTS) {
                int length = Math.min(SegmentSum.ELEMENTS, p.size() - offset);
                int owner = (int) ((before + length / 2) * workers / all);
                segments.add(new Segment(segments.size(), p.index(), offset, length, owner, owned[owner]++));
                before += length;
            }
        }
        return new ShardPlan(segments, workers, manifest.count());
    }

    /**
     * The leaf of a tensor that has a parameter's shape.
     *
     * @param roots of its segments in order: a whole segment is a whole subtree of the tensor's tree
     */
    public static byte[] leaf(String name, Parameter parameter, List<Sha256> roots) {
        MerkleHasher tree = new MerkleHasher();
        roots.forEach(tree::add);
        return TensorDigests.tensorLeaf(
                new TensorDigests.TensorId(name, DType.F32, parameter.shape()),
                (long) parameter.size() * Float.BYTES,
                tree.root());
    }

    public int workers() {
        return byOwner.size();
    }

    /** In manifest order. */
    public List<Segment> segments() {
        return segments;
    }

    public List<Segment> ofOwner(int position) {
        return byOwner.get(position);
    }

    public List<Segment> ofParameter(int parameter) {
        return byParameter.get(parameter);
    }
}
