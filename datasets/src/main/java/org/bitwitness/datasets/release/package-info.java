/**
 * The files beside the weights of a released model: what other people's libraries need to load it. Trainer and auditor
 * both make them from the descriptor and compare every byte.
 *
 * <p>May import: {@code org.bitwitness.datasets}, {@code protocol}.
 *
 * <p>Data goes next to: {@code recorder}, which writes them, and {@code step-replayer}, which checks them.
 */
@NullMarked
package org.bitwitness.datasets.release;

import org.jspecify.annotations.NullMarked;
