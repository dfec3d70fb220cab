// Initial weights: element n is (float)(Σ of the 12 words of Philox blocks 3n … 3n + 2, as int64, − 6·2^32)·2^-32·std with c2 =
// 0 and c3 = 0x80000000 | tensor. One thread an element, any block.
//
// Twin: kernels/reference/InitialWeightsKernel.java.
#include "philox.cuh"

KERNEL initial_weights(float* out, u32 n, u32 tensor, u32 key_low, u32 key_high, float std) {
  u32 i = flat_thread();
  if (i >= n) {
    return;
  }
  i64 sum = 0;
  for (u32 b = 0; b < 3; b++) {
    u64 block = 3ull * i + b;
    uint4 w = philox((u32)block, (u32)(block >> 32), 0u, 0x80000000u | tensor, key_low, key_high);
    sum += (i64)w.x + (i64)w.y + (i64)w.z + (i64)w.w;
  }
  float z = mul(__ll2float_rn(sum - (6ll << 32)), 0x1p-32f);
  out[i] = mul(z, std);
}
