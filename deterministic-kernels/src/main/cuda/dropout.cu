// Residual addition after dropout, and dropout's backward. n elements, the dropout element is the flat index. One thread
// takes four elements, which share a Philox block; any block size.
//
// dropout_add: out[i] = x[i] + drop(branch[i]); out may be x or branch.  dropout_gradient: dx[i] = drop(dy[i]); dx may be dy.
//
// Twin: kernels/reference/DropoutKernel.java.
#include "philox.cuh"

KERNEL dropout_add(const float* x, const float* branch, float* out, u32 n, DROPOUT_PARAMETERS) {
  Dropout drop = DROPOUT;
  u32 quad = flat_thread();
  if (quad >= (n + 3) / 4) {
    return;
  }
  uint4 words = drop.active != 0 ? dropout_words(drop, quad) : make_uint4(0, 0, 0, 0);
#pragma unroll
  for (u32 w = 0; w < 4; w++) {
    u32 i = 4 * quad + w;
    if (i < n) {
      float kept = drop.active != 0 ? dropout(drop, dropout_word(words, w), branch[i]) : branch[i];
      out[i] = add(x[i], kept);
    }
  }
}

KERNEL dropout_gradient(const float* dy, float* dx, u32 n, DROPOUT_PARAMETERS) {
  Dropout drop = DROPOUT;
  u32 quad = flat_thread();
  if (quad >= (n + 3) / 4) {
    return;
  }
  uint4 words = drop.active != 0 ? dropout_words(drop, quad) : make_uint4(0, 0, 0, 0);
#pragma unroll
  for (u32 w = 0; w < 4; w++) {
    u32 i = 4 * quad + w;
    if (i < n) {
      dx[i] = drop.active != 0 ? dropout(drop, dropout_word(words, w), dy[i]) : dy[i];
    }
  }
}
