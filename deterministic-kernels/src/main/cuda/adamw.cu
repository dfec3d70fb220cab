// AdamW on one parameter of n elements: g = G·clip; m = fma(b1, m, o1·g); v = fma(b2, v, o2·(g·g)); den = (√v)·rc + eps;
// W = fma(−step, m/den, W·dec).
//
// adamw_finite: changes nothing; bad[block] = 1 if any gradient, parameter or moment is not finite before or after, else 0. A
//   block of 256 threads takes a segment of 65,536 elements.
// adamw: performs it, one thread an element, any block. Runs only after every adamw_finite of the step said 0.
//
// Twin: kernels/reference/AdamWKernel.java.
#include "lanes.cuh"

struct Element {
  float w;
  float m;
  float v;
};

struct Constants {
  float beta1, beta2, one_minus_beta1, one_minus_beta2, eps, step, root_correction, decay, clip;
};

#define ADAMW_PARAMETERS                                                                                       \
  float beta1, float beta2, float one_minus_beta1, float one_minus_beta2, float eps, float step, float root_correction, \
      float decay, float clip
#define ADAMW_CONSTANTS \
  Constants { beta1, beta2, one_minus_beta1, one_minus_beta2, eps, step, root_correction, decay, clip }

DEVICE Element updated(float w, float m, float v, float gradient, const Constants& k) {
  Element after;
  float g = mul(gradient, k.clip);
  after.m = fused(k.beta1, m, mul(k.one_minus_beta1, g));
  after.v = fused(k.beta2, v, mul(k.one_minus_beta2, mul(g, g)));
  float den = add(mul(root(after.v), k.root_correction), k.eps);
  after.w = fused(negate(k.step), quotient(after.m, den), mul(w, k.decay));
  return after;
}

KERNEL adamw_finite(const float* w, const float* m, const float* v, const float* g, u32 n, int* bad, ADAMW_PARAMETERS) {
  __shared__ int warps[8];
  Constants k = ADAMW_CONSTANTS;
  u32 first = blockIdx.x * SEGMENT;
  u32 end = n - first < SEGMENT ? n : first + SEGMENT;
  int found = 0;
  for (u32 i = first + threadIdx.x; i < end; i += 256) {
    Element after = updated(w[i], m[i], v[i], g[i], k);
    bool fine = is_finite(w[i]) && is_finite(m[i]) && is_finite(v[i]) && is_finite(g[i]) && is_finite(after.w) &&
                is_finite(after.m) && is_finite(after.v);
    found |= fine ? 0 : 1;
  }
#pragma unroll
  for (int s = 16; s >= 1; s >>= 1) {
    found |= __shfl_xor_sync(WHOLE_WARP, found, s);
  }
  if ((threadIdx.x & 31u) == 0) {
    warps[threadIdx.x / 32] = found;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    int any = 0;
    for (int i = 0; i < 8; i++) {
      any |= warps[i];
    }
    bad[blockIdx.x] = any;
  }
}

KERNEL adamw(float* w, float* m, float* v, const float* g, u32 n, ADAMW_PARAMETERS) {
  Constants k = ADAMW_CONSTANTS;
  u32 i = flat_thread();
  if (i < n) {
    Element after = updated(w[i], m[i], v[i], g[i], k);
    w[i] = after.w;
    m[i] = after.m;
    v[i] = after.v;
  }
}
