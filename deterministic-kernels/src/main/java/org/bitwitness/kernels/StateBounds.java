package org.bitwitness.kernels;

import java.util.List;

/**
 * What is known of the magnitudes in one state, so that its next update need not read every number first to know that none
 * can overflow. Belongs to the state: whoever writes into its arrays other than by an update calls {@link #forget}.
 *
 * <p>Stale bounds change no bit of a result. An update that overflows against them throws, after it has written.
 */
public final class StateBounds {
    private List<Magnitudes> bySlot = List.of();

    /** Of every parameter in the order of the update's slots; empty if nothing is known. */
    public List<Magnitudes> bySlot() {
        return bySlot;
    }

    public void set(List<Magnitudes> known) {
        bySlot = List.copyOf(known);
    }

    public void forget() {
        bySlot = List.of();
    }
}
