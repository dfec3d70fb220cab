// CUDA's words for g++, so that the kernels of src/main/cuda compile for the host unchanged. Every thread of a block is a fiber
// of one operating-system thread; it runs until a barrier or a shuffle and is then set aside.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

#define __global__
#define __device__
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#define __forceinline__ inline
#define __launch_bounds__(...)

struct uint3_ {
  unsigned x, y, z;
};
struct float4 {
  float x, y, z, w;
};
struct uint4 {
  unsigned x, y, z, w;
};
static inline float4 make_float4(float x, float y, float z, float w) { return float4{x, y, z, w}; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return uint4{x, y, z, w}; }

extern uint3_ threadIdx, blockIdx, blockDim, gridDim;

void barrier();
uint32_t shuffle_xor(uint32_t value, unsigned mask);

static inline void __syncthreads() { barrier(); }

template <class T>
static inline T __shfl_xor_sync(unsigned, T value, int mask) {
  static_assert(sizeof(T) == 4, "a shuffle moves 32 bits");
  uint32_t word;
  memcpy(&word, &value, 4);
  word = shuffle_xor(word, (unsigned)mask);
  memcpy(&value, &word, 4);
  return value;
}

template <class To, class From>
static inline To bit_cast_(From from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

// x86-64 rounds to nearest, does not flush (main checks it), and the file is compiled without contraction.
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline float __double2float_rn(double a) { return (float)a; }
static inline long long __double2ll_rn(double a) { return llrint(a); }
static inline float __ll2float_rn(long long a) { return (float)a; }
static inline float __int2float_rn(int a) { return (float)a; }
static inline int __float2int_rz(float a) { return (int)a; }
static inline unsigned __float_as_uint(float a) { return bit_cast_<unsigned>(a); }
static inline float __uint_as_float(unsigned a) { return bit_cast_<float>(a); }
static inline long long __double_as_longlong(double a) { return bit_cast_<long long>(a); }
static inline double __longlong_as_double(long long a) { return bit_cast_<double>(a); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((uint64_t)a * b) >> 32); }
