// Small kernels that between them use what the emulator must get right. samples.ptx is what nvcc makes of this file;
// README.md beside it says how.
#include <cstdint>

// Each block sums one row of [rows, columns]: strided partial sums, a tree through shuffles, two warps joined in shared memory.
extern "C" __global__ void row_sums(const float *x, float *y, int columns) {
    __shared__ float warps[2];
    float s = 0.0f;
#pragma unroll 1
    for (int i = threadIdx.x; i < columns; i += 64) {
        s = s + x[(size_t)blockIdx.x * columns + i];
    }
    for (int w = 16; w > 0; w >>= 1) {
        s = s + __shfl_xor_sync(0xffffffffu, s, w);
    }
    if ((threadIdx.x & 31) == 0) {
        warps[threadIdx.x >> 5] = s;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        y[blockIdx.x] = warps[0] + warps[1];
    }
}

// C[m, n] = A[m, k] B[k, n] with one chain of multiply-adds per element, k ascending, through 8 x 8 tiles.
extern "C" __global__ void tile_product(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float as[8][8];
    __shared__ float bs[8][8];
    int row = blockIdx.y * 8 + threadIdx.y;
    int column = blockIdx.x * 8 + threadIdx.x;
    float s = 0.0f;
#pragma unroll 1
    for (int k0 = 0; k0 < k; k0 += 8) {
        as[threadIdx.y][threadIdx.x] = row < m && k0 + threadIdx.x < k ? a[row * k + k0 + threadIdx.x] : 0.0f;
        bs[threadIdx.y][threadIdx.x] = column < n && k0 + threadIdx.y < k ? b[(k0 + threadIdx.y) * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 8; i++) {
            s = __fmaf_rn(as[threadIdx.y][i], bs[i][threadIdx.x], s);
        }
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = s;
    }
}

// Three terms, a product that must not be contracted, a quotient and a root.
extern "C" __global__ void few_terms(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = (x[i] + x[i + 1]) + x[i + 2];
        float mixed = x[i] * x[i + 1] + x[i + 2];
        y[i] = sqrtf(fabsf(sum)) / mixed;
        y[n + i] = sum;
        y[2 * n + i] = mixed;
    }
}

// Integers of all widths, a table, a switch, a device function that is not inlined, bytes and quads in memory.
__constant__ uint32_t TABLE[4] = {0x9E3779B9u, 0xBB67AE85u, 0xD2511F53u, 0xCD9E8D57u};

__device__ __noinline__ uint64_t folded(uint64_t a, uint32_t b) {
    return (a >> 29) * b + __umul64hi(a, 0x9E3779B97F4A7C15ull);
}

extern "C" __global__ void mix_bits(const uint32_t *x, uint64_t *y, uint8_t *bytes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    uint32_t v = x[i];
    uint32_t r = __funnelshift_r(v, v, 7) ^ __funnelshift_l(v, i, 5) ^ (v >> 3);
    r = (r & v) ^ (~r & TABLE[v & 3]);
    r ^= __umulhi(v, 0xD2511F53u) + __byte_perm(v, r, 0x7250) + __popc(v) + __clz(v) + __brev(v);
    switch (v % 5) {
        case 0: r += 17; break;
        case 1: r = r * 31 + v; break;
        case 2: r ^= 0x55aa55aau; break;
        default: r -= v / 7; break;
    }
    int64_t s = (int64_t)(int32_t)r * (int32_t)v - i;
    y[i] = folded((uint64_t)s, v) ^ (uint64_t)(s % 1000003) ^ (uint64_t)(s >> 7);
    bytes[i] = (uint8_t)(r >> 8);
    ((int16_t *)(bytes + 4 * n))[i] = (int16_t)(r ^ v);
    uint4 quad = make_uint4(r, v, r + v, r - v);
    ((uint4 *)(bytes + 8 * n))[i] = quad;
}

// Which lanes hold an odd value, and whether all do.
extern "C" __global__ void votes(const uint32_t *x, uint32_t *y) {
    uint32_t v = x[threadIdx.x];
    uint32_t odd = __ballot_sync(0xffffffffu, v & 1);
    uint32_t up = __shfl_up_sync(0xffffffffu, v, 3);
    uint32_t down = __shfl_down_sync(0xffffffffu, v, 5, 16);
    uint32_t other = __shfl_sync(0xffffffffu, v, v & 31, 8);
    y[threadIdx.x] = odd + up * 3 + down * 5 + other * 7 + (__all_sync(0xffffffffu, v > 2) ? 11 : 0);
}
