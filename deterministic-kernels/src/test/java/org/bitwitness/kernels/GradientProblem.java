package org.bitwitness.kernels;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A gradient to check: of Σ weight·forward(inputs), by every input.
 *
 * @param operator the operator whose backward was computed
 * @param settings what PyTorch needs to know besides arrays
 * @param inputs binary32 numbers by name, in the order of the arguments
 * @param forward the operator in binary64
 * @param weights one per output
 * @param computed our gradient of every input
 */
@SuppressWarnings("ArrayRecordComponent") // a bundle of arguments, never compared
record GradientProblem(
        String operator,
        Map<String, Object> settings,
        Map<String, float[]> inputs,
        Function<List<double[]>, double[]> forward,
        float[] weights,
        Map<String, float[]> computed) {
    private static final double STEP = 0x1p-16;

    /** Norm of the difference from central differences, relative to their norm, for every input. */
    Map<String, Double> errors() {
        Map<String, Double> errors = new LinkedHashMap<>();
        List<double[]> at = new ArrayList<>();
        inputs.values().forEach(x -> at.add(doubles(x)));
        int index = 0;
        for (String name : inputs.keySet()) {
            double[] x = at.get(index++);
            float[] ours = computed.getOrDefault(name, new float[0]);
            if (ours.length != x.length) {
                throw new IllegalStateException(operator + " has no gradient of " + name);
            }
            double difference = 0;
            double norm = 0;
            for (int i = 0; i < x.length; i++) {
                double present = x[i];
                x[i] = present + STEP;
                double above = value(at);
                x[i] = present - STEP;
                double below = value(at);
                x[i] = present;
                double slope = (above - below) / (2 * STEP);
                difference += (ours[i] - slope) * (ours[i] - slope);
                norm += slope * slope;
            }
            errors.put(name, Math.sqrt(difference / Math.max(norm, 1e-30)));
        }
        return errors;
    }

    private double value(List<double[]> at) {
        double[] y = forward.apply(at);
        double sum = 0;
        for (int i = 0; i < y.length; i++) {
            sum += y[i] * weights[i];
        }
        return sum;
    }

    /** For {@code benchmarks/pytorch/check_operators.py}. */
    String json() {
        return "{\"operator\":\"" + operator + "\",\"settings\":" + object(settings) + ",\"inputs\":" + object(inputs)
                + ",\"weights\":" + text(weights) + ",\"gradients\":" + object(computed) + "}";
    }

    private static String object(Map<String, ?> map) {
        List<String> members = new ArrayList<>();
        map.forEach((key, value) -> members.add("\"" + key + "\":" + text(value)));
        return "{" + String.join(",", members) + "}";
    }

    private static String text(Object value) {
        return switch (value) {
            case float[] array -> Arrays.toString(doubles(array));
            case double[] array -> Arrays.toString(array);
            case int[] array -> Arrays.toString(array);
            default -> value.toString();
        };
    }

    private static double[] doubles(float[] x) {
        double[] out = new double[x.length];
        Arrays.setAll(out, i -> x[i]);
        return out;
    }
}
