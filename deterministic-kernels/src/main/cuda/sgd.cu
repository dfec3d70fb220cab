// SGD with momentum on one parameter of n elements: g = G·clip; where the tensor decays g = fma(wd, W, g);
// m = fma(mu, m, keep·g); u = nesterov ? fma(mu, m, g) : m; W = fma(−step, u, W).
//
// sgd_finite: changes nothing; bad[block] = 1 if any gradient, parameter or momentum is not finite before or after, else 0. A
//   block of 256 threads takes a segment of 65,536 elements.
// sgd: performs it, one thread an element, any block. Runs only after every sgd_finite of the step said 0.
//
// Twin: kernels/reference/SgdKernel.java.
#include "lanes.cuh"

struct SgdElement {
  float w;
  float m;
};

struct SgdConstants {
  float momentum, keep, step, weight_decay, clip;
  u32 decays, nesterov;
};

#define SGD_PARAMETERS float momentum, float keep, float step, float weight_decay, float clip, u32 decays, u32 nesterov
#define SGD_CONSTANTS \
  SgdConstants { momentum, keep, step, weight_decay, clip, decays, nesterov }

DEVICE SgdElement sgd_updated(float w, float m, float gradient, const SgdConstants& k) {
  SgdElement after;
  float g = mul(gradient, k.clip);
  if (k.decays != 0) {
    g = fused(k.weight_decay, w, g);
  }
  after.m = fused(k.momentum, m, mul(k.keep, g));
  float u = k.nesterov != 0 ? fused(k.momentum, after.m, g) : after.m;
  after.w = fused(negate(k.step), u, w);
  return after;
}

KERNEL sgd_finite(const float* w, const float* m, const float* g, u32 n, int* bad, SGD_PARAMETERS) {
  __shared__ int warps[8];
  SgdConstants k = SGD_CONSTANTS;
  u32 first = blockIdx.x * SEGMENT;
  u32 end = n - first < SEGMENT ? n : first + SEGMENT;
  int found = 0;
  for (u32 i = first + threadIdx.x; i < end; i += 256) {
    SgdElement after = sgd_updated(w[i], m[i], g[i], k);
    bool fine = is_finite(w[i]) && is_finite(m[i]) && is_finite(g[i]) && is_finite(after.w) && is_finite(after.m);
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

KERNEL sgd(float* w, float* m, const float* g, u32 n, SGD_PARAMETERS) {
  SgdConstants k = SGD_CONSTANTS;
  u32 i = flat_thread();
  if (i < n) {
    SgdElement after = sgd_updated(w[i], m[i], g[i], k);
    w[i] = after.w;
    m[i] = after.m;
  }
}
