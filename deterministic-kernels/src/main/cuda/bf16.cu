// Rounding to bfloat16, a float32 whose low 16 bits are 0: to the nearest, of two equally near the one whose bit 16 is 0; past
// the largest, infinity; NaN is 7fc00000.
//
// round_to_bf16: t[i] = bf16(t[i]) for n elements; one thread an element, any block.
//
// Twin: kernels/reference/Bf16Kernel.java.
#include "arithmetic.cuh"

KERNEL round_to_bf16(float* t, u32 n) {
  u32 i = flat_thread();
  if (i < n) {
    u32 b = bits(t[i]);
    // Half a unit less one, plus the last kept bit: carries exactly where rounding goes up. The sign stays out of its way.
    u32 rounded = (b + 0x7fffu + (b >> 16 & 1u)) & 0xffff0000u;
    t[i] = is_nan(t[i]) ? as_float(0x7fc00000u) : as_float(rounded);
  }
}
