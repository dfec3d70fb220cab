package org.bitwitness.kernels.vector;

import java.util.ArrayList;
import java.util.Collections;
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
        List<Piece> pieces = pieces(updates);
        if (!provenFinite(updates, measured(workers, updates, pieces)) && !eachStaysFinite(workers, updates)) {
            return false;
        }
        apply(workers, updates, pieces);
        return true;
    }

    private static boolean provenFinite(List<Optimizer> updates, List<Optimizer.Largest> largest) {
        for (int i = 0; i < updates.size(); i++) {
            Optimizer.Largest of = largest.get(i);
            Magnitudes before = new Magnitudes(of.w(), of.m(), of.v());
            if (!before.after(updates.get(i), of.gradient()).finite()) {
                return false;
            }
        }
        return true;
    }

    /** Of every parameter; the four arrays are read side by side, which memory serves faster than one after the other. */
    private static List<Optimizer.Largest> measured(Workers workers, List<Optimizer> updates, List<Piece> pieces) {
        Optimizer.Largest[] byPiece = new Optimizer.Largest[pieces.size()];
        workers.run(pieces.size(), (i, worker) -> {
            Piece piece = pieces.get(i);
            Optimizer update = updates.get(piece.update);
            Optimizer.Largest largest = Optimizer.Largest.NOTHING;
            for (int from = piece.from; from < piece.to; from += CALL) {
                largest = largest.and(update.largest(from, Math.min(piece.to, from + CALL)));
            }
            byPiece[i] = largest;
        });
        List<Optimizer.Largest> out = new ArrayList<>(Collections.nCopies(updates.size(), Optimizer.Largest.NOTHING));
        for (int i = 0; i < byPiece.length; i++) {
            int update = pieces.get(i).update;
            out.set(update, out.get(update).and(byPiece[i]));
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

    /** Backwards: what was measured last is still in the caches. */
    private static void apply(Workers workers, List<Optimizer> updates, List<Piece> pieces) {
        AtomicBoolean finite = new AtomicBoolean(true);
        int last = pieces.size() - 1;
        workers.run(pieces.size(), (i, worker) -> {
            Piece piece = pieces.get(last - i);
            Optimizer update = updates.get(piece.update);
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

    /** Elements {@code [from, to)} of update number {@code update}. */
    private record Piece(int update, int from, int to) {}

    private static List<Piece> pieces(List<Optimizer> updates) {
        List<Piece> pieces = new ArrayList<>();
        for (int i = 0; i < updates.size(); i++) {
            int length = updates.get(i).w().length;
            for (int from = 0; from < length; from += PIECE) {
                pieces.add(new Piece(i, from, Math.min(length - from, PIECE) + from));
            }
        }
        return pieces;
    }
}
