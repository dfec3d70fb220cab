package org.bitwitness.kernels.vector;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bitwitness.kernels.AdamWConstants;
import org.bitwitness.kernels.AdamWSlot;
import org.bitwitness.kernels.Magnitudes;
import org.bitwitness.kernels.StateBounds;

/**
 * AdamW on all parameters: everything or nothing. An update that would leave a number that is not finite must change no
 * tensor, so it has to be foreseen before the first write. What the last update left known and a bound of the gradient prove
 * it for nothing in most steps. Where they do not, the magnitudes of state and gradient are measured; where these prove
 * nothing either, the update is computed once without writing.
 */
final class Updates {
    private static final int PIECE = 65_536;

    /** Elements of one call of a kernel: a method soon called again is soon compiled. */
    private static final int CALL = 2_048;

    /**
     * The collector gives a large array a region of its own, where elements begin 16 bytes after a cache line does. Pieces from
     * here on are read and written in whole lines: with the widest registers, otherwise every access would touch two.
     */
    private static final int LINE_START = 12;

    private final Workers workers;
    private final List<Optimizer> updates;
    private final List<Piece> pieces;

    Updates(Workers workers, List<AdamWSlot> slots, AdamWConstants constants) {
        this.workers = workers;
        this.updates = slots.stream().map(slot -> Optimizer.of(slot, constants)).toList();
        this.pieces = pieces(updates);
    }

    /**
     * @param gradientBound upper bound of |gradient|; infinite if unknown
     * @param bounds of parameters and moments before; after it, if it updated
     * @return false if the update would not be finite; then nothing has changed
     */
    boolean run(double gradientBound, StateBounds bounds) {
        List<Magnitudes> after = bounds.bySlot().size() == updates.size()
                ? after(bounds.bySlot(), Collections.nCopies(updates.size(), gradientBound))
                : List.of();
        if (after.isEmpty()) {
            after = measuredAfter();
        }
        if (after.isEmpty() && !eachStaysFinite()) {
            return false;
        }
        bounds.set(after);
        apply();
        return true;
    }

    /** Of every parameter after the update; empty unless all are known to stay finite. */
    private List<Magnitudes> after(List<Magnitudes> before, List<Double> gradients) {
        List<Magnitudes> after = new ArrayList<>();
        for (int i = 0; i < updates.size(); i++) {
            Optimizer update = updates.get(i);
            after.add(before.get(i).after(update.c(), update.decay(), gradients.get(i)));
        }
        return after.stream().allMatch(Magnitudes::finite) ? after : List.of();
    }

    private List<Magnitudes> measuredAfter() {
        List<Optimizer.Largest> largest = measured();
        return after(
                largest.stream()
                        .map(of -> new Magnitudes(of.w(), of.m(), of.v()))
                        .toList(),
                largest.stream().map(of -> (double) of.gradient()).toList());
    }

    /** Of every parameter; the four arrays are read side by side, which memory serves faster than one after the other. */
    private List<Optimizer.Largest> measured() {
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

    private boolean eachStaysFinite() {
        AtomicBoolean finite = new AtomicBoolean(true);
        workers.run(updates.size(), (i, worker) -> {
            if (finite.get() && !updates.get(i).staysFinite()) {
                finite.set(false);
            }
        });
        return finite.get();
    }

    /** Backwards: what was measured last is still in the caches. */
    private void apply() {
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
            throw new IllegalStateException("a parameter or moment became a number that is not finite though it could"
                    + " not: something else changed its array, or the gradient's bound was wrong; go on from the last"
                    + " checkpoint");
        }
    }

    /** Elements {@code [from, to)} of update number {@code update}. */
    private record Piece(int update, int from, int to) {}

    private static List<Piece> pieces(List<Optimizer> updates) {
        List<Piece> pieces = new ArrayList<>();
        for (int i = 0; i < updates.size(); i++) {
            int length = updates.get(i).w().length;
            int from = 0;
            int to = Math.min(length, LINE_START);
            while (from < length) {
                pieces.add(new Piece(i, from, to));
                from = to;
                to = Math.min(length - from, PIECE) + from;
            }
        }
        return pieces;
    }
}
