// Sums over tokens, one per column: gradients of biases and gains. DOT over the flat token index n in chunks of 512: block
// row y computes chunk y of every column into partial[y][c], column_totals adds the chunks ascending from +0. One thread a
// column, any block; grid (columns / block, chunks) for the first three, (columns / block) for the last.
//
// column_sums: DOT(dy, 1).  column_layernorm: DOT(dy, (x − μ)·r).  column_rmsnorm: DOT(dy, x·r).
//
// Twin: LinearKernel.columnSums, LayerNormKernel.backward, RmsNormKernel.backward in kernels/reference.
#include "arithmetic.cuh"

KERNEL column_sums(const float* dy, float* partial, u32 rows, u32 width) {
  u32 c = flat_thread();
  if (c >= width) {
    return;
  }
  u32 first = blockIdx.y * CHUNK;
  u32 end = first + CHUNK < rows ? first + CHUNK : rows;
  float sum = 0.0f;
  for (u32 n = first; n < end; n++) {
    sum = fused(dy[n * width + c], 1.0f, sum);
  }
  partial[blockIdx.y * width + c] = sum;
}

KERNEL column_layernorm(const float* dy, const float* x, const float* mean, const float* rstd, float* partial, u32 rows,
                        u32 width) {
  u32 c = flat_thread();
  if (c >= width) {
    return;
  }
  u32 first = blockIdx.y * CHUNK;
  u32 end = first + CHUNK < rows ? first + CHUNK : rows;
  float sum = 0.0f;
  for (u32 n = first; n < end; n++) {
    float normed = mul(sub(x[n * width + c], mean[n]), rstd[n]);
    sum = fused(dy[n * width + c], normed, sum);
  }
  partial[blockIdx.y * width + c] = sum;
}

KERNEL column_rmsnorm(const float* dy, const float* x, const float* rstd, float* partial, u32 rows, u32 width) {
  u32 c = flat_thread();
  if (c >= width) {
    return;
  }
  u32 first = blockIdx.y * CHUNK;
  u32 end = first + CHUNK < rows ? first + CHUNK : rows;
  float sum = 0.0f;
  for (u32 n = first; n < end; n++) {
    sum = fused(dy[n * width + c], mul(x[n * width + c], rstd[n]), sum);
  }
  partial[blockIdx.y * width + c] = sum;
}

KERNEL column_totals(const float* partial, float* out, u32 chunks, u32 width) {
  u32 c = flat_thread();
  if (c >= width) {
    return;
  }
  float total = 0.0f;
  for (u32 y = 0; y < chunks; y++) {
    total = add(total, partial[y * width + c]);
  }
  out[c] = total;
}
