// exp, log, tanh, sigmoid, erf, 1/sqrt of the profile: docs/numerics.md, "Functions". NaN in gives 7fc00000.
//
// Twin: kernels/reference/Functions.java.
#pragma once
#include "arithmetic.cuh"

static const float ROUNDER = 12582912.0f;

// 2^e for -126 <= e <= 127.
DEVICE float power_of_two(int e) { return as_float((u32)(e + 127) << 23); }

// Range reduction by powers of two, a polynomial on [-ln2/2, ln2/2], two exact scalings.
DEVICE float function_exp(float x) {
  float c = x < -104.0f ? -104.0f : x > 89.0f ? 89.0f : x;
  float n = sub(fused(c, 0x1.715476p0f, ROUNDER), ROUNDER);
  float r = fused(n, -0x1.62e4p-1f, c);
  r = fused(n, -0x1.7f7d1cp-20f, r);
  float q = as_float(0x3ab524b0u);
  q = fused(q, r, as_float(0x3c091cd0u));
  q = fused(q, r, as_float(0x3d2aac5au));
  q = fused(q, r, as_float(0x3e2aaa49u));
  q = fused(q, r, as_float(0x3efffffeu));
  float y = add(fused(mul(r, r), q, r), 1.0f);
  int e = is_nan(x) ? 0 : __float2int_rz(n);
  int half = e >> 1;
  float scaled = mul(mul(y, power_of_two(half)), power_of_two(e - half));
  return is_nan(x) ? as_float(0x7fc00000u) : scaled;
}

// x = 2^e (1 + f), 1 + f in [2/3, 4/3); a polynomial in f; e times ln 2 in two parts.
DEVICE float function_log(float x) {
  bool small = bits(x) < 0x00800000u;
  float normal = small ? mul(x, 0x1p23f) : x;
  int e = small ? -23 : 0;
  int i = (int)(bits(normal) - 0x3f2aaaabu);
  e += i >> 23;
  float f = sub(as_float((u32)(i & 0x7fffff) + 0x3f2aaaabu), 1.0f);
  float q = as_float(0xbe03e24au);
  q = fused(q, f, as_float(0x3e0f3665u));
  q = fused(q, f, as_float(0xbdf9995bu));
  q = fused(q, f, as_float(0x3e0f6ab1u));
  q = fused(q, f, as_float(0xbe2ace33u));
  q = fused(q, f, as_float(0x3e4ce828u));
  q = fused(q, f, as_float(0xbe7fff7du));
  q = fused(q, f, as_float(0x3eaaaa83u));
  q = fused(q, f, as_float(0xbf000000u));
  float r = fused(mul(f, f), q, f);
  r = fused(__int2float_rn(e), 0x1.7f7d1cp-20f, r);
  r = fused(__int2float_rn(e), 0x1.62e4p-1f, r);
  if (is_nan(x)) {
    return as_float(0x7fc00000u);
  }
  if ((bits(x) & 0x7fffffffu) == 0u) {
    return as_float(0xff800000u);
  }
  if ((bits(x) & 0x80000000u) != 0u) {
    return as_float(0x7fc00000u);
  }
  return bits(x) == 0x7f800000u ? x : r;
}

// An odd polynomial near 0, else through exp.
DEVICE float function_tanh(float x) {
  float a = magnitude(x);
  float s = mul(a, a);
  float p = as_float(0xbbba86e8u);
  p = fused(p, s, as_float(0x3ca8fc77u));
  p = fused(p, s, as_float(0xbd5c1ad3u));
  p = fused(p, s, as_float(0x3e08837bu));
  p = fused(p, s, as_float(0xbeaaaa99u));
  float low = fused(mul(p, s), a, a);
  float b = a < 10.0f ? a : 10.0f;
  float high = sub(1.0f, quotient(2.0f, add(function_exp(add(b, b)), 1.0f)));
  float y = copy_sign(a < 0.625f ? low : high, x);
  return is_nan(x) ? as_float(0x7fc00000u) : y;
}

DEVICE float function_sigmoid(float x) {
  float e = function_exp(negate(magnitude(x)));
  float y = quotient(x >= 0.0f ? 1.0f : e, add(1.0f, e));
  return is_nan(x) ? as_float(0x7fc00000u) : y;
}

DEVICE float function_erf(float x) {
  float a = magnitude(x);
  float s = mul(a, a);
  float p = as_float(0x38a7b3afu);
  p = fused(p, s, as_float(0xba530517u));
  p = fused(p, s, as_float(0x3baa250du));
  p = fused(p, s, as_float(0xbcdc008du));
  p = fused(p, s, as_float(0x3de716b2u));
  p = fused(p, s, as_float(0xbec093a0u));
  p = fused(p, s, as_float(0x3e0375d4u));
  float low = fused(p, a, a);
  float b = a < 4.0f ? a : 4.0f;
  float g = as_float(0x36a5ae4eu);
  g = fused(g, b, as_float(0xb83f2797u));
  g = fused(g, b, as_float(0xb8501bdfu));
  g = fused(g, b, as_float(0x3b400925u));
  g = fused(g, b, as_float(0xbcb9bf55u));
  g = fused(g, b, as_float(0x3dd79403u));
  g = fused(g, b, as_float(0x3f22b856u));
  g = fused(g, b, as_float(0x3e03a312u));
  float high = sub(1.0f, function_exp(negate(fused(g, b, b))));
  float y = copy_sign(a < 0.921875f ? low : high, x);
  return is_nan(x) ? as_float(0x7fc00000u) : y;
}

// Two rounded operations.
DEVICE float function_rsqrt(float x) { return quotient(1.0f, root(x)); }
