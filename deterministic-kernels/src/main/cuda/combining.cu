// Combining the gradients of workers. n elements; one thread an element, any block, unless said otherwise.
//
// add_tensors: sum[i] = sum[i] + addend[i]: accumulation, and one node of an ORDERED tree.  scale_tensor: t[i] = t[i]·factor.
// EXACT, per segment of 65,536 elements, for R workers one after the other (their order does not matter):
//   exact_largest: largest[b] = max of it and the magnitude bits of segment b of g; first: starts anew. A block of 128 threads
//     takes a segment. Magnitude bits order like magnitudes, and every non-finite value is above every finite one.
//   exact_exponents: E per segment from `largest`: smallest with max < 2^E; −2^31 for a segment of zeros, 2^31 − 1 for one with
//     an element that is not finite. One thread a segment.
//   exact_add: q = RNE(g·2^sh) added to the 64-bit sum; sh = 62 − ⌈log2 R⌉ − E; first: starts anew.
//   exact_finish: out = (float) S · 2^-sh; +0 in zero segments, NaN in non-finite ones.
//
// Twin: kernels/reference/ExactCombining.java, ReferenceBackend.add and scale.
#include "lanes.cuh"

static const int ZERO_SEGMENT = -2147483647 - 1;
static const int NON_FINITE_SEGMENT = 2147483647;

KERNEL add_tensors(float* sum, const float* addend, u32 n) {
  u32 i = flat_thread();
  if (i < n) {
    sum[i] = add(sum[i], addend[i]);
  }
}

KERNEL scale_tensor(float* t, float factor, u32 n) {
  u32 i = flat_thread();
  if (i < n) {
    t[i] = mul(t[i], factor);
  }
}

KERNEL exact_largest(const float* g, u32 n, u32 first_worker, u32* largest) {
  __shared__ u32 warps[4];
  u32 first = blockIdx.x * SEGMENT;
  u32 end = n - first < SEGMENT ? n : first + SEGMENT;
  u32 most = 0;
  for (u32 i = first + threadIdx.x; i < end; i += 128) {
    u32 m = bits(g[i]) & 0x7fffffffu;
    most = m > most ? m : most;
  }
#pragma unroll
  for (int w = 16; w >= 1; w >>= 1) {
    u32 other = __shfl_xor_sync(WHOLE_WARP, most, w);
    most = other > most ? other : most;
  }
  if ((threadIdx.x & 31u) == 0) {
    warps[threadIdx.x / 32] = most;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 4; w++) {
      most = warps[w] > most ? warps[w] : most;
    }
    if (first_worker == 0 && largest[blockIdx.x] > most) {
      most = largest[blockIdx.x];
    }
    largest[blockIdx.x] = most;
  }
}

KERNEL exact_exponents(const u32* largest, int* exponents, u32 segments) {
  u32 b = flat_thread();
  if (b >= segments) {
    return;
  }
  u32 most = largest[b];
  if (most == 0u) {
    exponents[b] = ZERO_SEGMENT;
  } else if (most >= 0x7f800000u) {
    exponents[b] = NON_FINITE_SEGMENT;
  } else {
    // As binary64 every float is normal, so the exponent field is the true exponent.
    i64 wide = __double_as_longlong((double)as_float(most));
    exponents[b] = (int)(wide >> 52) - 1023 + 1;
  }
}

// 2^e in binary64, −1022 <= e <= 1023.
DEVICE double wide_power_of_two(int e) { return __longlong_as_double((i64)(e + 1023) << 52); }

KERNEL exact_add(const float* g, u32 n, const int* exponents, int headroom, u32 first_worker, i64* sums) {
  u32 i = flat_thread();
  if (i >= n) {
    return;
  }
  int e = exponents[i / SEGMENT];
  i64 q = 0;
  if (e != ZERO_SEGMENT && e != NON_FINITE_SEGMENT) {
    q = __double2ll_rn(__dmul_rn((double)g[i], wide_power_of_two(62 - headroom - e)));
  }
  sums[i] = first_worker != 0 ? q : sums[i] + q;
}

KERNEL exact_finish(const i64* sums, u32 n, const int* exponents, int headroom, float* out) {
  u32 i = flat_thread();
  if (i >= n) {
    return;
  }
  int e = exponents[i / SEGMENT];
  if (e == ZERO_SEGMENT) {
    out[i] = 0.0f;
  } else if (e == NON_FINITE_SEGMENT) {
    out[i] = as_float(0x7fc00000u);
  } else {
    // The sum is rounded once, to float32; the scaling and the way back from binary64 are exact.
    double rounded = (double)__ll2float_rn(sums[i]);
    out[i] = __double2float_rn(__dmul_rn(rounded, wide_power_of_two(e + headroom - 62)));
  }
}
