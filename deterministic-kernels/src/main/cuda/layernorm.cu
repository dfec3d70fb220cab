// LayerNorm over rows of `width` channels. A warp takes a row, 128 threads a block.
//
// layernorm: μ = SUM128(x)·invN; z = x − μ; r = 1/√(SUMSQ128(z)·invN + eps); y = fma(z·r, gain, bias); μ and r are kept.
// layernorm_gradient: h = dy·gain; A = SUM128(h)·invN; B = DOT128(h, x̂)·invN; d = r·((h − A) − x̂·B); dx = d or dx + d.
// The gradients of gain and bias sum over tokens: columns.cu.
//
// Twin: kernels/reference/LayerNormKernel.java.
#include "functions.cuh"
#include "lanes.cuh"

KERNEL layernorm(const float* x, const float* gain, const float* bias, float inv_n, float eps, float* y, float* mean,
                 float* rstd, u32 rows, u32 width) {
  u32 row = flat_thread() / 32;
  u32 lane = threadIdx.x & 31u;
  if (row >= rows) {
    return;
  }
  const float* in = x + row * width;
  float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (u32 at = lane; at < width; at += 128) {
#pragma unroll
    for (u32 v = 0; v < 4; v++) {
      if (at + 32 * v < width) {
        sums[v] = add(sums[v], in[at + 32 * v]);
      }
    }
  }
  float mu = mul(fold_lanes(sums), inv_n);
  float squares[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (u32 at = lane; at < width; at += 128) {
#pragma unroll
    for (u32 v = 0; v < 4; v++) {
      if (at + 32 * v < width) {
        float z = sub(in[at + 32 * v], mu);
        squares[v] = fused(z, z, squares[v]);
      }
    }
  }
  float r = function_rsqrt(add(mul(fold_lanes(squares), inv_n), eps));
  for (u32 c = lane; c < width; c += 32) {
    y[row * width + c] = fused(mul(sub(in[c], mu), r), gain[c], bias[c]);
  }
  if (lane == 0) {
    mean[row] = mu;
    rstd[row] = r;
  }
}

KERNEL layernorm_gradient(const float* dy, const float* x, const float* gain, const float* mean, const float* rstd,
                          float inv_n, u32 add_to, float* dx, u32 rows, u32 width) {
  u32 row = flat_thread() / 32;
  u32 lane = threadIdx.x & 31u;
  if (row >= rows) {
    return;
  }
  const float* in = x + row * width;
  const float* d = dy + row * width;
  float mu = mean[row];
  float r = rstd[row];
  float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  float dots[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (u32 at = lane; at < width; at += 128) {
#pragma unroll
    for (u32 v = 0; v < 4; v++) {
      u32 c = at + 32 * v;
      if (c < width) {
        float h = mul(d[c], gain[c]);
        float normed = mul(sub(in[c], mu), r);
        sums[v] = add(sums[v], h);
        dots[v] = fused(h, normed, dots[v]);
      }
    }
  }
  float a = mul(fold_lanes(sums), inv_n);
  float b = mul(fold_lanes(dots), inv_n);
  for (u32 c = lane; c < width; c += 32) {
    float h = mul(d[c], gain[c]);
    float normed = mul(sub(in[c], mu), r);
    float value = mul(r, sub(sub(h, a), mul(normed, b)));
    float* out = dx + row * width + c;
    *out = add_to != 0 ? add(*out, value) : value;
  }
}
