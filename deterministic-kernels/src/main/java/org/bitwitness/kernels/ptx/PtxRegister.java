package org.bitwitness.kernels.ptx;

/** A declared register. */
public record PtxRegister(String name, PtxType type) {}
