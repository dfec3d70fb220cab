package org.bitwitness.replayer;

import org.bitwitness.kernels.program.HostState;
import org.bitwitness.protocol.StateRoot;
import org.bitwitness.protocol.record.Scalars;

/** A checkpoint read from a recording, with the root its bytes have. */
record LoadedState(HostState state, Scalars scalars, StateRoot root) {}
