// Tiles of attention: 64 rows × 64 columns, 256 threads as 16 × 16, 4 × 4 cells a thread. What a row and a column are (query
// or key) is the kernel's business.
#pragma once
#include "functions.cuh"
#include "philox.cuh"

static const int TILE = 64;
static const int SLAB = 16;

// One head of one sequence: element (position, channel) at start[position·stride + channel].
struct Head {
  const float* start;
  u32 stride;
};

// Shared memory of a tile: two slabs of operands, and weights between the two products.
struct Slabs {
  float a[SLAB][TILE + 4];
  float b[SLAB][TILE + 4];
};

DEVICE u32 tile_x() { return (threadIdx.x % 16) * 4; }
DEVICE u32 tile_y() { return (threadIdx.x / 16) * 4; }

// Transposes channels [d0, d0 + 16) of positions [first, first + 64) into slab[channel][position]; outside is +0.
DEVICE void load_transposed(float (*slab)[TILE + 4], const Head& x, u32 first, u32 positions, u32 d0, u32 channels) {
  u32 p = threadIdx.x / 4;
  u32 d = (threadIdx.x % 4) * 4;
#pragma unroll
  for (u32 i = 0; i < 4; i++) {
    bool inside = first + p < positions && d0 + d + i < channels;
    slab[d + i][p] = inside ? x.start[(first + p) * x.stride + d0 + d + i] : 0.0f;
  }
}

// Channels [d0, d0 + 64) of positions [first, first + 16) into slab[position][channel]; outside is +0.
DEVICE void load_straight(float (*slab)[TILE + 4], const Head& x, u32 first, u32 positions, u32 d0, u32 channels) {
  u32 p = threadIdx.x / 16;
  u32 d = (threadIdx.x % 16) * 4;
#pragma unroll
  for (u32 i = 0; i < 4; i++) {
    bool inside = first + p < positions && d0 + d + i < channels;
    slab[p][d + i] = inside ? x.start[(first + p) * x.stride + d0 + d + i] : 0.0f;
  }
}

DEVICE void clear(float (&x)[4][4]) {
#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      x[i][j] = 0.0f;
    }
  }
}

// total += sum; sum = +0: the end of a chunk.
DEVICE void end_chunk(float (&total)[4][4], float (&sum)[4][4]) {
#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      total[i][j] = add(total[i][j], sum[i][j]);
      sum[i][j] = 0.0f;
    }
  }
}

// s[i][j] = fma(a[i], b[j], s[i][j]), for two rows of shared memory.
DEVICE void outer_product(const float* a, const float* b, float (&s)[4][4]) {
  float4 av = *(const float4*)a;
  float4 bv = *(const float4*)b;
  float af[4] = {av.x, av.y, av.z, av.w};
  float bf[4] = {bv.x, bv.y, bv.z, bv.w};
#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      s[i][j] = fused(af[i], bf[j], s[i][j]);
    }
  }
}

// The thread's 4 × 4 cells of DOT over channels of rows' and columns' vectors. `live`: whether the thread has cells to compute;
// all threads load.
DEVICE void dot_tile(Slabs& slabs, const Head& rows, const Head& columns, u32 r0, u32 c0, u32 positions, u32 channels,
                     bool live, float (&total)[4][4]) {
  float sum[4][4];
  clear(total);
  clear(sum);
  for (u32 d0 = 0; d0 < channels; d0 += SLAB) {
    if (d0 != 0 && d0 % CHUNK == 0) {
      end_chunk(total, sum);
    }
    load_transposed(slabs.a, rows, r0, positions, d0, channels);
    load_transposed(slabs.b, columns, c0, positions, d0, channels);
    __syncthreads();
    if (live) {
#pragma unroll
      for (int d = 0; d < SLAB; d++) {
        outer_product(&slabs.a[d][tile_y()], &slabs.b[d][tile_x()], sum);
      }
    }
    __syncthreads();
  }
  end_chunk(total, sum);
}
