// RMSNorm over rows of `width` channels. A warp takes a row, 128 threads a block.
//
// rmsnorm: r = 1/√(SUMSQ128(x)·invN + eps); y = (x·r)·gain; r is kept.
// rmsnorm_gradient: h = dy·gain; t = (DOT128(h, x)·invN)·((r·r)·r); d = fma(−t, x, h·r); dx = d or dx + d.
// The gradient of gain sums over tokens: columns.cu.
//
// Twin: kernels/reference/RmsNormKernel.java.
#include "functions.cuh"
#include "lanes.cuh"

KERNEL rmsnorm(const float* x, const float* gain, float inv_n, float eps, float* y, float* rstd, u32 rows, u32 width) {
  u32 row = flat_thread() / 32;
  u32 lane = threadIdx.x & 31u;
  if (row >= rows) {
    return;
  }
  const float* in = x + row * width;
  float squares[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (u32 at = lane; at < width; at += 128) {
#pragma unroll
    for (u32 v = 0; v < 4; v++) {
      if (at + 32 * v < width) {
        squares[v] = fused(in[at + 32 * v], in[at + 32 * v], squares[v]);
      }
    }
  }
  float r = function_rsqrt(add(mul(fold_lanes(squares), inv_n), eps));
  for (u32 c = lane; c < width; c += 32) {
    y[row * width + c] = mul(mul(in[c], r), gain[c]);
  }
  if (lane == 0) {
    rstd[row] = r;
  }
}

KERNEL rmsnorm_gradient(const float* dy, const float* x, const float* gain, const float* rstd, float inv_n, u32 add_to,
                        float* dx, u32 rows, u32 width) {
  u32 row = flat_thread() / 32;
  u32 lane = threadIdx.x & 31u;
  if (row >= rows) {
    return;
  }
  const float* in = x + row * width;
  const float* d = dy + row * width;
  float r = rstd[row];
  float dots[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (u32 at = lane; at < width; at += 128) {
#pragma unroll
    for (u32 v = 0; v < 4; v++) {
      u32 c = at + 32 * v;
      if (c < width) {
        dots[v] = fused(mul(d[c], gain[c]), in[c], dots[v]);
      }
    }
  }
  float t = mul(mul(fold_lanes(dots), inv_n), mul(mul(r, r), r));
  for (u32 c = lane; c < width; c += 32) {
    float value = fused(negate(t), in[c], mul(mul(d[c], gain[c]), r));
    float* out = dx + row * width + c;
    *out = add_to != 0 ? add(*out, value) : value;
  }
}
