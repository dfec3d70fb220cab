// What the robust combining rules do to elements. n elements; one thread an element, any block, unless said otherwise.
//
// trimmed_mean: values is [workers][n]; every column is sorted in place, −inf … −0 < +0 … +inf < NaN, and of its middle ones
//   s = v[trim], then s = s + v for each further one; out = s·inverse, which is (float)(1.0/(workers − 2·trim)).
// segment_distances: out[b] = SUMSQ128 of the float32 differences a − b of the elements [65,536·b, 65,536·(b + 1)). A block of
//   128 threads takes a segment, thread l is lane l. `chain` of sums.cu adds them up.
// weighted_first: out = weight·x.  weighted_next: out = fma(weight, x, out).
//
// Twin: kernels/reference/RobustKernel.java.
#include "lanes.cuh"

// Orders like the values, as a signed integer; every NaN is the same one, above all numbers.
DEVICE int order_of(float x) {
  int b = (int)bits(one_nan(x));
  return b < 0 ? b ^ 0x7fffffff : b;
}

KERNEL trimmed_mean(float* values, u32 workers, u32 trim, float inverse, float* out, u32 n) {
  u32 i = flat_thread();
  if (i >= n) {
    return;
  }
  // A tensor has fewer than 2^31 elements, all workers' together may have more.
  float* column = values + i;
#pragma unroll 1
  for (u32 w = 1; w < workers; w++) {
    float value = column[(u64)w * n];
    u32 at = w;
#pragma unroll 1
    while (at > 0) {
      float before = column[(u64)(at - 1) * n];
      if (order_of(before) <= order_of(value)) {
        break;
      }
      column[(u64)at * n] = before;
      at--;
    }
    column[(u64)at * n] = value;
  }
  float sum = column[(u64)trim * n];
#pragma unroll 1
  for (u32 w = trim + 1; w < workers - trim; w++) {
    sum = add(sum, column[(u64)w * n]);
  }
  out[i] = mul(sum, inverse);
}

KERNEL segment_distances(const float* a, const float* b, u32 n, float* out) {
  __shared__ float shared[128];
  u32 first = blockIdx.x * SEGMENT;
  u32 end = n - first < SEGMENT ? n : first + SEGMENT;
  float sum = 0.0f;
  for (u32 i = first + threadIdx.x; i < end; i += 128) {
    float difference = sub(a[i], b[i]);
    sum = fused(difference, difference, sum);
  }
  sum = fold_block(sum, shared);
  if (threadIdx.x == 0) {
    out[blockIdx.x] = sum;
  }
}

KERNEL weighted_first(const float* x, float weight, float* out, u32 n) {
  u32 i = flat_thread();
  if (i < n) {
    out[i] = mul(weight, x[i]);
  }
}

KERNEL weighted_next(const float* x, float weight, float* out, u32 n) {
  u32 i = flat_thread();
  if (i < n) {
    out[i] = fused(weight, x[i], out[i]);
  }
}
