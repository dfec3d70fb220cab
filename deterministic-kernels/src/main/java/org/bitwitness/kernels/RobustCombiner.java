package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.bitwitness.kernels.program.Gradients;
import org.bitwitness.kernels.program.Parameter;
import org.bitwitness.kernels.program.ParameterManifest;
import org.bitwitness.protocol.record.Reduction;

/**
 * The robust combining rules: their decisions are binary64 and made here, everything over elements is the backend's. A
 * gradient with an element that is not finite is infinitely far from every other.
 */
final class RobustCombiner {
    /** ν: distances below it weigh as much as it, so that a gradient at the median itself does not divide by zero. */
    private static final double SMOOTHING = 0.1;

    private final ParameterManifest manifest;
    private final Backend backend;
    private final List<Gradients> gradients;
    private final List<List<Tensor>> workers;

    /** @param byLayoutPosition read only */
    RobustCombiner(ParameterManifest manifest, Backend backend, List<Gradients> byLayoutPosition) {
        this.manifest = manifest;
        this.backend = backend;
        this.gradients = byLayoutPosition;
        this.workers = byLayoutPosition.stream().map(this::bind).toList();
    }

    /** In arrays of its own. */
    Gradients combine(Reduction.Robust rule) {
        int count = workers.size();
        rule.requireWorkers(count);
        Gradients combined = switch (rule) {
            case Reduction.Median _ -> trimmedMean((count - 1) / 2);
            case Reduction.TrimmedMean trimmed -> trimmedMean(trimmed.liars());
            case Reduction.Krum krum -> mean(nearest(krum.liars(), 1));
            case Reduction.MultiKrum krum -> mean(nearest(krum.liars(), krum.selected()));
            case Reduction.GeometricMedian median -> geometricMedian(median.iterations());
        };
        workers.forEach(backend::release);
        return combined;
    }

    private Gradients trimmedMean(int trim) {
        Gradients result = Gradients.zero(manifest);
        List<Tensor> out = bind(result);
        for (int i = 0; i < manifest.count(); i++) {
            int index = i;
            backend.trimmedMean(workers.stream().map(w -> w.get(index)).toList(), trim, out.get(i));
        }
        HostCopies.fetch(backend, out, result);
        backend.release(out);
        return result;
    }

    /** The sum of these workers' gradients, ascending, starting with a copy of the first, times (float)(1.0/how many). */
    private Gradients mean(List<Integer> positions) {
        Gradients result = gradients.get(positions.getFirst()).copy();
        List<Tensor> sum = bind(result);
        for (int position : positions.subList(1, positions.size())) {
            backend.add(sum, workers.get(position));
        }
        if (positions.size() > 1) {
            backend.scale(sum, (float) (1.0 / (double) positions.size()));
        }
        HostCopies.fetch(backend, sum, result);
        backend.release(sum);
        return result;
    }

    /** Positions, ascending, of those with the smallest scores; where scores are equal the first ones. */
    private List<Integer> nearest(int liars, int selected) {
        double[] scores = scores(squaredDistances(), workers.size() - liars - 1);
        return IntStream.range(0, scores.length)
                .boxed()
                .sorted(Comparator.comparingDouble(position -> scores[position]))
                .limit(selected)
                .sorted()
                .toList();
    }

    private double[][] squaredDistances() {
        int count = workers.size();
        double[][] distances = new double[count][count];
        for (int a = 0; a < count; a++) {
            for (int b = a + 1; b < count; b++) {
                double d = backend.squaredDistance(workers.get(a), workers.get(b));
                distances[a][b] = Double.isFinite(d) ? d : Double.POSITIVE_INFINITY;
                distances[b][a] = distances[a][b];
            }
        }
        return distances;
    }

    /** Per worker the chain from +0 over its smallest distances to others, ascending. */
    static double[] scores(double[][] distances, int neighbours) {
        double[] scores = new double[distances.length];
        for (int worker = 0; worker < scores.length; worker++) {
            int self = worker;
            double[] others = IntStream.range(0, scores.length)
                    .filter(other -> other != self)
                    .mapToDouble(other -> distances[self][other])
                    .sorted()
                    .toArray();
            double chain = 0.0;
            for (double d : Arrays.copyOf(others, neighbours)) {
                chain = chain + d;
            }
            scores[worker] = chain;
        }
        return scores;
    }

    private Gradients geometricMedian(int iterations) {
        Gradients point = Gradients.zero(manifest);
        for (int n = 0; n < iterations; n++) {
            point = closer(point);
        }
        return point;
    }

    private Gradients closer(Gradients point) {
        List<Tensor> from = bind(point);
        List<List<Tensor>> terms = new ArrayList<>();
        List<Double> inverses = new ArrayList<>();
        double total = 0.0;
        for (List<Tensor> worker : workers) {
            double squared = backend.squaredDistance(worker, from);
            if (Double.isFinite(squared)) {
                double distance = Math.sqrt(squared);
                double inverse = 1.0 / (distance > SMOOTHING ? distance : SMOOTHING);
                total = total + inverse;
                terms.add(worker);
                inverses.add(inverse);
            }
        }
        backend.release(from);
        Gradients next = Gradients.zero(manifest);
        if (terms.isEmpty()) {
            manifest.parameters().forEach(p -> Arrays.fill(next.tensor(p.index()), Float.NaN));
            return next;
        }
        float[] weights = new float[terms.size()];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = (float) (inverses.get(i) / total);
        }
        List<Tensor> out = bind(next);
        backend.weightedSum(terms, weights, out);
        HostCopies.fetch(backend, out, next);
        backend.release(out);
        return next;
    }

    private List<Tensor> bind(Gradients of) {
        List<Tensor> out = new ArrayList<>();
        for (Parameter p : manifest.parameters()) {
            Tensor tensor = Tensor.declare(p.name(), p.shape());
            backend.bind(tensor, of.tensor(p.index()));
            out.add(tensor);
        }
        return out;
    }
}
