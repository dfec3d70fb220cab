// Element by element functions, and sums over all their inputs.
//
// apply_function: y[i] = f(x[i]), i < n; y may be x; NaN results are 7fc00000. One thread an element, any block.
// sweep_function: block b takes the inputs first + stride·(b·per_block + i), i < per_block, below 2^32; out[b] = Σ mix((input
//   << 32) | bits(f(input))) mod 2^64. 128 threads a block; integer addition needs no order.
//
// Twin: kernels/reference/Functions.java (apply), kernels/FunctionSweep.java.
#include "functions.cuh"

// Numbers as ScalarFunction's; 6 and 7 are the bare operations, for sweeps.
DEVICE float function(int number, float x) {
  switch (number) {
    case 0:
      return function_exp(x);
    case 1:
      return function_log(x);
    case 2:
      return function_tanh(x);
    case 3:
      return function_sigmoid(x);
    case 4:
      return function_erf(x);
    case 5:
      return one_nan(function_rsqrt(x));
    case 6:
      return one_nan(root(x));
    default:
      return one_nan(quotient(1.0f, x));
  }
}

KERNEL apply_function(int number, const float* x, float* y, u32 n) {
  u32 i = flat_thread();
  if (i < n) {
    y[i] = function(number, x[i]);
  }
}

DEVICE u64 mix(u64 k) {
  k *= 0x9E3779B97F4A7C15ull;
  k ^= k >> 29;
  return k * 0xBF58476D1CE4E5B9ull;
}

KERNEL sweep_function(int number, u64 first, u64 stride, u32 per_block, u64* out) {
  __shared__ u64 sums[128];
  u64 sum = 0;
  for (u32 i = threadIdx.x; i < per_block; i += 128) {
    u64 input = first + stride * ((u64)blockIdx.x * per_block + i);
    if (input <= 0xffffffffull) {
      sum += mix(input << 32 | bits(function(number, as_float((u32)input))));
    }
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int t = 1; t < 128; t++) {
      sum += sums[t];
    }
    out[blockIdx.x] = sum;
  }
}
