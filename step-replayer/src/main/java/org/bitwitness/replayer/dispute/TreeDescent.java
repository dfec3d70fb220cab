package org.bitwitness.replayer.dispute;

import org.bitwitness.protocol.Sha256;

/** Two hash trees of the same size, and the node where the leftmost difference lies. */
final class TreeDescent {
    private Sha256 auditorNode;
    private Sha256 trainerNode;
    private int low;
    private int high;

    TreeDescent(int leaves, Sha256 auditorRoot) {
        this.auditorNode = auditorRoot;
        this.trainerNode = auditorRoot;
        this.high = leaves;
    }

    /** The trainer's root; until then only the auditor's is known. */
    void begin(Sha256 root) {
        trainerNode = root;
    }

    int low() {
        return low;
    }

    int high() {
        return high;
    }

    boolean isLeaf() {
        return high - low == 1;
    }

    /** First leaf of the right child: the left one has the largest power of two that leaves something over. */
    int middle() {
        return low + Integer.highestOneBit(high - low - 1);
    }

    Sha256 node(Party party) {
        return party == Party.AUDITOR ? auditorNode : trainerNode;
    }

    /** Goes to the left child where it differs; else the right one must, since the node does. */
    void down(Move.Halves auditor, Move.Halves trainer) {
        boolean left = !auditor.left().equals(trainer.left());
        int middle = middle();
        auditorNode = left ? auditor.left() : auditor.right();
        trainerNode = left ? trainer.left() : trainer.right();
        if (left) {
            high = middle;
        } else {
            low = middle;
        }
    }
}
