// Sums over whole tensors, and the search for elements that are not finite.
//
// segment_sums / segment_squares: out[b] = SUM128 / SUMSQ128 of the elements [65,536·b, 65,536·(b + 1)) of x. A block of 128
//   threads takes a segment, thread l is lane l.
// chain: out = start + (double) s[0] + (double) s[1] + …, in binary64, ascending. One thread.
// not_finite: bad[b] = 1 if segment b holds a NaN or an infinity, else 0. A block of 128 threads takes a segment.
//
// Twin: kernels/reference/GlobalSums.java, ReferenceBackend.allFinite.
#include "lanes.cuh"

KERNEL segment_sums(const float* x, u32 n, float* out) {
  __shared__ float shared[128];
  u32 first = blockIdx.x * SEGMENT;
  u32 end = n - first < SEGMENT ? n : first + SEGMENT;
  float sum = 0.0f;
  for (u32 i = first + threadIdx.x; i < end; i += 128) {
    sum = add(sum, x[i]);
  }
  sum = fold_block(sum, shared);
  if (threadIdx.x == 0) {
    out[blockIdx.x] = sum;
  }
}

KERNEL segment_squares(const float* x, u32 n, float* out) {
  __shared__ float shared[128];
  u32 first = blockIdx.x * SEGMENT;
  u32 end = n - first < SEGMENT ? n : first + SEGMENT;
  float sum = 0.0f;
  for (u32 i = first + threadIdx.x; i < end; i += 128) {
    sum = fused(x[i], x[i], sum);
  }
  sum = fold_block(sum, shared);
  if (threadIdx.x == 0) {
    out[blockIdx.x] = sum;
  }
}

KERNEL chain(const float* s, u32 n, double start, double* out) {
  double sum = start;
  for (u32 i = 0; i < n; i++) {
    sum = __dadd_rn(sum, (double)s[i]);
  }
  *out = sum;
}

KERNEL not_finite(const float* x, u32 n, int* bad) {
  __shared__ int warps[4];
  u32 first = blockIdx.x * SEGMENT;
  u32 end = n - first < SEGMENT ? n : first + SEGMENT;
  int found = 0;
  for (u32 i = first + threadIdx.x; i < end; i += 128) {
    found |= is_finite(x[i]) ? 0 : 1;
  }
#pragma unroll
  for (int w = 16; w >= 1; w >>= 1) {
    found |= __shfl_xor_sync(WHOLE_WARP, found, w);
  }
  if ((threadIdx.x & 31u) == 0) {
    warps[threadIdx.x / 32] = found;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    bad[blockIdx.x] = warps[0] | warps[1] | warps[2] | warps[3];
  }
}
