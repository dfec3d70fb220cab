// Rotary position embedding in place. x [N, heads·D], tables [context, D/2]; pairs (i, i + D/2) of every head, position n
// mod T: y0 = fma(−x1, s, x0·c), y1 = fma(x1, c, x0·s); inverse takes −s. One thread a pair, any block.
//
// Twin: kernels/reference/RopeKernel.java.
#include "arithmetic.cuh"

KERNEL rope(float* x, const float* cosines, const float* sines, u32 tokens, u32 length, u32 heads, u32 half, u32 inverse) {
  u32 pair = flat_thread();
  if (pair >= tokens * heads * half) {
    return;
  }
  u32 i = pair % half;
  u32 head = pair / half;  // over tokens and heads
  u32 position = (head / heads) % length;
  u32 at = head * 2 * half + i;
  float c = cosines[position * half + i];
  float s = sines[position * half + i];
  s = inverse != 0 ? negate(s) : s;
  float x0 = x[at];
  float x1 = x[at + half];
  x[at] = fused(negate(x1), s, mul(x0, c));
  x[at + half] = fused(x1, c, mul(x0, s));
}
