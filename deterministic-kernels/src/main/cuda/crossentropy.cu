// Softmax cross-entropy and its gradient. logits [N, V]; a block of 128 threads takes a row, thread l is lane l. Three passes
// over the row: maximum, SUM128 of exponentials, gradient; d may be logits itself.
//
// m; e = exp(l − m); z = SUM128(e); loss = (m + log z) − l_y; d = ((e·(1/z)) − [j = y])·invCount; no target: loss +0, d +0.
//
// Twin: kernels/reference/CrossEntropyKernel.java.
#include "functions.cuh"
#include "lanes.cuh"

KERNEL cross_entropy(const float* logits, const int* targets, float inv_count, float* losses, float* d, u32 vocab) {
  __shared__ float shared[128];
  u32 row = blockIdx.x;
  u32 lane = threadIdx.x;
  int target = targets[row];
  const float* in = logits + row * vocab;
  float* out = d + row * vocab;
  if (target < 0) {
    for (u32 j = lane; j < vocab; j += 128) {
      out[j] = 0.0f;
    }
    if (lane == 0) {
      losses[row] = 0.0f;
    }
    return;
  }
  float m = as_float(0xff800000u);
  for (u32 j = lane; j < vocab; j += 128) {
    m = larger(m, in[j]);
  }
  m = max_block(m, shared);
  float at_target = in[target];
  float sum = 0.0f;
  for (u32 j = lane; j < vocab; j += 128) {
    sum = add(sum, function_exp(sub(in[j], m)));
  }
  float z = fold_block(sum, shared);
  if (lane == 0) {
    losses[row] = sub(add(m, function_log(z)), at_target);
  }
  float rz = quotient(1.0f, z);
  for (u32 j = lane; j < vocab; j += 128) {
    float e = function_exp(sub(in[j], m));
    out[j] = mul(sub(mul(e, rz), (int)j == target ? 1.0f : 0.0f), inv_count);
  }
}
