// SUM128, SUMSQ128, DOT128: element i belongs to lane i mod 128, lanes add ascending from +0, a fixed tree folds them.
//
// A warp holds four lanes a thread: thread t has lanes t, t + 32, t + 64, t + 96 in v[0..3]. The tree's first two levels
// (64, 32) are then inside a thread, (v0 + v2) + (v1 + v3), the others (16 … 1) are xor shuffles. Addition commutes, so both
// partners of a shuffle hold the same bits.
//
// Twin: kernels/reference/Lanes.java, RowMax.java.
#pragma once
#include "arithmetic.cuh"

static const u32 WHOLE_WARP = 0xffffffffu;

DEVICE float fold_warp(float s) {
#pragma unroll
  for (int w = 16; w >= 1; w >>= 1) {
    s = add(s, __shfl_xor_sync(WHOLE_WARP, s, w));
  }
  return add(0.0f, s);
}

// The 128 lanes of a warp as one number, in every thread.
DEVICE float fold_lanes(const float (&v)[4]) { return fold_warp(add(add(v[0], v[2]), add(v[1], v[3]))); }

// The 128 lanes of a block of 128 threads, thread t holding lane t, as one number in every thread. Needs all threads.
DEVICE float fold_block(float s, float* shared) {
  shared[threadIdx.x] = s;
  __syncthreads();
  u32 t = threadIdx.x & 31u;
  float v[4] = {shared[t], shared[t + 32], shared[t + 64], shared[t + 96]};
  __syncthreads();
  return fold_lanes(v);
}

// v > m ? v : m — a NaN is passed over.
DEVICE float larger(float m, float v) { return v > m ? v : m; }

DEVICE float max_warp(float m) {
#pragma unroll
  for (int w = 16; w >= 1; w >>= 1) {
    m = larger(m, __shfl_xor_sync(WHOLE_WARP, m, w));
  }
  return m;
}

// Largest of a block of 128 threads, in every thread; + (+0) so that -0 cannot win. Needs all threads.
DEVICE float max_block(float m, float* shared) {
  shared[threadIdx.x] = m;
  __syncthreads();
  u32 t = threadIdx.x & 31u;
  m = larger(larger(shared[t], shared[t + 32]), larger(shared[t + 64], shared[t + 96]));
  __syncthreads();
  return add(max_warp(m), 0.0f);
}
