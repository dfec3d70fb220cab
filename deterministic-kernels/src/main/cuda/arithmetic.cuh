// The operations that profile F32-C512 allows, each by the name that says how it rounds. No kernel writes a bare + - * /
// on floating point: what is not spelled here is not computed, and the PTX auditor can demand .rn on every instruction.
//
// Twin: Java's own operators, Math.fma and Functions.sqrt in kernels/reference.
#pragma once

#define KERNEL extern "C" __global__ void
#define DEVICE static __device__ __forceinline__

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

DEVICE float add(float a, float b) { return __fadd_rn(a, b); }
DEVICE float sub(float a, float b) { return __fsub_rn(a, b); }
DEVICE float mul(float a, float b) { return __fmul_rn(a, b); }
DEVICE float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
DEVICE float quotient(float a, float b) { return __fdiv_rn(a, b); }
DEVICE float root(float a) { return __fsqrt_rn(a); }

// Sign and magnitude are bit operations, so that they mean the same for NaN everywhere.
DEVICE u32 bits(float x) { return __float_as_uint(x); }
DEVICE float as_float(u32 b) { return __uint_as_float(b); }
DEVICE float magnitude(float x) { return as_float(bits(x) & 0x7fffffffu); }
DEVICE float negate(float x) { return as_float(bits(x) ^ 0x80000000u); }
DEVICE float copy_sign(float to, float from) { return as_float((bits(to) & 0x7fffffffu) | (bits(from) & 0x80000000u)); }
DEVICE bool is_nan(float x) { return (bits(x) & 0x7fffffffu) > 0x7f800000u; }
DEVICE bool is_finite(float x) { return (bits(x) & 0x7f800000u) != 0x7f800000u; }

// A GPU writes 7fffffff where a CPU writes another NaN; whatever is hashed or compared is this one.
DEVICE float one_nan(float x) { return is_nan(x) ? as_float(0x7fc00000u) : x; }

// DOT cuts its index into chunks of 512.
static const int CHUNK = 512;
static const int CHUNK_SHIFT = 9;

// Global sums and EXACT combining restart every 65,536 elements.
static const int SEGMENT = 65536;

// Index of this thread in a one-dimensional launch. A tensor has fewer than 2^31 elements.
DEVICE u32 flat_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
