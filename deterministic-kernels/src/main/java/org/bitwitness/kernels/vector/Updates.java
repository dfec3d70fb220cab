package org.bitwitness.kernels.vector;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bitwitness.kernels.AdamWConstants;
import org.bitwitness.kernels.AdamWSlot;

/**
 * AdamW on all parameters: everything or nothing. An update that would leave a number that is not finite must change no
 * tensor, so it has to be foreseen before the first write. The magnitudes of state and gradient are measured each time, since
 * whoever owns the arrays may have changed them; where they prove nothing, the update is computed once without writing.
 */
final class Updates {
    private static final int PIECE = 65_536;

    /** Elements of one call of a kernel: a method soon called again is soon compiled. */
    private static final int CALL = 2_048;

    private Updates() {}

    /** @return false if the update would not be finite; then nothing has changed */
    static boolean run(Workers workers, List<AdamWSlot> slots, AdamWConstants constants) {
        List<Optimizer> updates =
                slots.stream().map(slot -> Optimizer.of(slot, constants)).toList();
        float[] gradients =
                largest(workers, updates.stream().map(Optimizer::gradient).toList());
        boolean proven = true;
        for (int i = 0; i < updates.size(); i++) {
            proven &= measured(workers, updates.get(i))
                    .after(updates.get(i), gradients[i])
                    .finite();
        }
        if (!proven && !eachStaysFinite(workers, updates)) {
            return false;
        }
        apply(workers, updates);
        return true;
    }

    private static Magnitudes measured(Workers workers, Optimizer u) {
        float[] state = largest(workers, List.of(u.w(), u.m(), u.v()));
        return new Magnitudes(state[0], state[1], Elements.negative(u.v()) ? Double.NaN : state[2]);
    }

    private static float[] largest(Workers workers, List<float[]> arrays) {
        float[] out = new float[arrays.size()];
        List<Piece> pieces = pieces(arrays);
        float[] byPiece = new float[pieces.size()];
        workers.run(pieces.size(), (i, worker) -> {
            Piece piece = pieces.get(i);
            float[] array = arrays.get(piece.array);
            for (int from = piece.from; from < piece.to; from += CALL) {
                int to = Math.min(piece.to, from + CALL);
                byPiece[i] = Math.max(byPiece[i], Elements.largestMagnitude(array, from, to));
            }
        });
        for (int i = 0; i < byPiece.length; i++) {
            int array = pieces.get(i).array;
            // NaN wins.
            out[array] = Math.max(out[array], byPiece[i]);
        }
        return out;
    }

    private static boolean eachStaysFinite(Workers workers, List<Optimizer> updates) {
        AtomicBoolean finite = new AtomicBoolean(true);
        workers.run(updates.size(), (i, worker) -> {
            if (finite.get() && !updates.get(i).staysFinite()) {
                finite.set(false);
            }
        });
        return finite.get();
    }

    private static void apply(Workers workers, List<Optimizer> updates) {
        List<Piece> pieces = pieces(updates.stream().map(Optimizer::w).toList());
        AtomicBoolean finite = new AtomicBoolean(true);
        workers.run(pieces.size(), (i, worker) -> {
            Piece piece = pieces.get(i);
            Optimizer update = updates.get(piece.array);
            for (int from = piece.from; from < piece.to; from += CALL) {
                if (!update.update(from, Math.min(piece.to, from + CALL))) {
                    finite.set(false);
                }
            }
        });
        if (!finite.get()) {
            throw new IllegalStateException("a parameter or moment became a number that is not finite while it was"
                    + " updated: its array was changed at the same time; go on from the last checkpoint");
        }
    }

    /** Elements {@code [from, to)} of array number {@code array}. */
    private record Piece(int array, int from, int to) {}

    private static List<Piece> pieces(List<float[]> arrays) {
        List<Piece> pieces = new ArrayList<>();
        for (int i = 0; i < arrays.size(); i++) {
            int length = arrays.get(i).length;
            for (int from = 0; from < length; from += PIECE) {
                pieces.add(new Piece(i, from, Math.min(length - from, PIECE) + from));
            }
        }
        return pieces;
    }
}
