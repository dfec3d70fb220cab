// Causal attention with grouped key/value heads. T positions, D channels, H query heads, `group` of them to a key/value head;
// row statistics at (s·H + h)·T + i. No matrix over T² is ever stored: scores are computed again wherever they are needed, which
// gives the same bits.
//
// attention_stats: m_i = max_j s_ij + (+0), z_i = SUM128_j exp(s_ij − m_i), s = DOT_d(q, k)·scale, j <= i. Two sweeps over key tiles.
// attention_delta: row_i = DOT128(dO_i, O_i). A warp takes a row, 128 threads a block.
// attention_out: O = DOT_j(e, v)/z; with dropout P = e·(1/z), P' = keep ? P·drop : +0, O = DOT_j(P', v).
// attention_dq: dQ = DOT_j(dS, k), dS = (P·(dP − row))·scale, dP = DOT_d(dO, v), with dropout keep ? that·drop : +0.
// attention_dk, attention_dv: dK = DOT_i(dS, q), dV = DOT_i(P or P', dO), over i >= j, summed over the heads of the group ascending,
//   starting with a copy of the first.
//
// Geometry: blocks of 256 threads own 64 rows (queries; keys for dk, dv) and walk over 64 columns at a time, ascending, so that
// every chain has its index ascending; chunks of 512 end at tile boundaries. grid x: row tiles · sequences · heads (key/value heads
// for dk, dv), grid y: 64 channels of the result each.
//
// Twin: kernels/reference/AttentionKernel.java.
#include "attention_tile.cuh"
#include "lanes.cuh"

// Sizes and places common to all these kernels.
struct Shape {
  u32 length;    // T
  u32 heads;     // H
  u32 group;     // query heads per key/value head
  u32 channels;  // D
  float scale;
};

#define SHAPE_PARAMETERS u32 length, u32 heads, u32 group, u32 channels, float scale
#define SHAPE \
  Shape { length, heads, group, channels, scale }

DEVICE Head head_of(const float* x, u32 stride, u32 sequence, u32 head, const Shape& shape) {
  return Head{x + sequence * shape.length * stride + head * shape.channels, stride};
}

extern "C" __global__ void __launch_bounds__(256, 2)
    attention_stats(const float* q, u32 q_stride, const float* k, u32 k_stride, float* row_max, float* row_sum,
                    SHAPE_PARAMETERS) {
  __shared__ __align__(16) Slabs slabs;
  Shape shape = SHAPE;
  u32 tiles = (length + TILE - 1) / TILE;
  u32 r0 = (tiles - 1 - blockIdx.x % tiles) * TILE;
  u32 sequence = blockIdx.x / tiles / heads;
  u32 head = blockIdx.x / tiles % heads;
  Head queries = head_of(q, q_stride, sequence, head, shape);
  Head keys = head_of(k, k_stride, sequence, head / group, shape);
  u32 y = r0 + tile_y();
  u32 end = r0 + TILE < length ? r0 + TILE : length;
  float s[4][4];
  float m[4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    m[i] = as_float(0xff800000u);
  }
  for (u32 c0 = 0; c0 < end; c0 += TILE) {
    u32 x = c0 + tile_x();
    dot_tile(slabs, queries, keys, r0, c0, length, channels, y < length && x <= y + 3, s);
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
#pragma unroll
      for (u32 j = 0; j < 4; j++) {
        m[i] = x + j <= y + i ? larger(m[i], mul(s[i][j], scale)) : m[i];
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll
    for (int w = 8; w >= 1; w >>= 1) {
      m[i] = larger(m[i], __shfl_xor_sync(WHOLE_WARP, m[i], w));
    }
    m[i] = add(m[i], 0.0f);
  }
  // Lane 64·half + 4·(t mod 16) + j of row i is z[half][i][j].
  float z[2][4][4];
  clear(z[0]);
  clear(z[1]);
  for (u32 pair = 0; pair < end; pair += 2 * TILE) {
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
      u32 c0 = pair + half * TILE;
      if (c0 < end) {
        u32 x = c0 + tile_x();
        dot_tile(slabs, queries, keys, r0, c0, length, channels, y < length && x <= y + 3, s);
#pragma unroll
        for (u32 i = 0; i < 4; i++) {
#pragma unroll
          for (u32 j = 0; j < 4; j++) {
            if (x + j <= y + i) {
              z[half][i][j] = add(z[half][i][j], function_exp(sub(mul(s[i][j], scale), m[i])));
            }
          }
        }
      }
    }
  }
#pragma unroll
  for (u32 i = 0; i < 4; i++) {
    float v[4];
#pragma unroll
    for (u32 j = 0; j < 4; j++) {
      v[j] = add(z[0][i][j], z[1][i][j]);
#pragma unroll
      for (int w = 8; w >= 1; w >>= 1) {
        v[j] = add(v[j], __shfl_xor_sync(WHOLE_WARP, v[j], w));
      }
    }
    float sum = add(0.0f, add(add(v[0], v[2]), add(v[1], v[3])));
    if (threadIdx.x % 16 == 0 && y + i < length) {
      u32 row = (sequence * heads + head) * length + y + i;
      row_max[row] = m[i];
      row_sum[row] = sum;
    }
  }
}

KERNEL attention_delta(const float* d_out, const float* out, float* delta, u32 rows, u32 length, u32 heads, u32 channels) {
  u32 row = flat_thread() / 32;
  u32 lane = threadIdx.x & 31u;
  if (row >= rows) {
    return;
  }
  u32 sequence = row / length / heads;
  u32 head = row / length % heads;
  u32 start = ((sequence * length + row % length) * heads + head) * channels;
  float dots[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (u32 at = lane; at < channels; at += 128) {
#pragma unroll
    for (u32 v = 0; v < 4; v++) {
      if (at + 32 * v < channels) {
        dots[v] = fused(d_out[start + at + 32 * v], out[start + at + 32 * v], dots[v]);
      }
    }
  }
  float value = fold_lanes(dots);
  if (lane == 0) {
    delta[row] = value;
  }
}

enum Result { OUT, DQ, DK, DV };

// Everything that a product reads.
struct Inputs {
  const float* q;
  u32 q_stride;
  const float* k;
  u32 k_stride;
  const float* v;
  u32 v_stride;
  const float* d_out;  // stride H·D; null for OUT
  const float* row_max;
  const float* row_sum;
  const float* delta;  // null for OUT and DV
};

// Which of the thread's cells dropout keeps: bit 4·a + b for query a and key b of the thread's four each. Dropout's element is
// (row of statistics)·T + key; neighbouring keys share a Philox block, which is then drawn once. The loop stays a loop: unrolled,
// the generator would be there sixteen times.
DEVICE u32 kept_cells(const Shape& shape, const Dropout& drop, u32 statistics, u32 query0, u32 key0) {
  u32 cells = 0;
  u32 block = 0;
  uint4 words = make_uint4(0, 0, 0, 0);
#pragma unroll 1
  for (u32 cell = 0; cell < 16; cell++) {
    u64 element = (u64)(statistics + query0 + cell / 4) * shape.length + key0 + cell % 4;
    if (cell == 0 || (u32)(element >> 2) != block) {
      block = (u32)(element >> 2);
      words = dropout_words(drop, block);
    }
    cells |= (dropout_word(words, (u32)element) < drop.threshold ? 1u : 0u) << cell;
  }
  return cells;
}

// Weights of the thread's cells: what the second product multiplies.
template <Result RESULT>
DEVICE void weights(const Inputs& in, const Shape& shape, const Dropout& drop, u32 statistics, u32 y, u32 x,
                    const float (&s)[4][4], const float (&dp)[4][4], float (&w)[4][4]) {
  const bool BY_QUERY = RESULT == OUT || RESULT == DQ;
  u32 query0 = BY_QUERY ? y : x;
  u32 key0 = BY_QUERY ? x : y;
  bool dropping = drop.active != 0;
  u32 cells = dropping ? kept_cells(shape, drop, statistics, query0, key0) : 0u;
#pragma unroll
  for (u32 a = 0; a < 4; a++) {
    u32 i = query0 + a;
    u32 row = statistics + (i < shape.length ? i : shape.length - 1);  // a query past the end is computed and never used
    float m = in.row_max[row];
    float rz = quotient(1.0f, in.row_sum[row]);
    float delta = RESULT == DQ || RESULT == DK ? in.delta[row] : 0.0f;
#pragma unroll
    for (u32 b = 0; b < 4; b++) {
      u32 j = key0 + b;
      float cell_s = BY_QUERY ? s[a][b] : s[b][a];
      float cell_dp = BY_QUERY ? dp[a][b] : dp[b][a];
      bool kept = (cells >> (4 * a + b) & 1u) != 0;
      float e = function_exp(sub(mul(cell_s, shape.scale), m));
      float p = mul(e, rz);
      float weight;
      if (RESULT == OUT || RESULT == DV) {
        float whole = RESULT == OUT ? e : p;
        weight = dropping ? (kept ? mul(p, drop.scale) : 0.0f) : whole;
      } else {
        float d = dropping ? (kept ? mul(cell_dp, drop.scale) : 0.0f) : cell_dp;
        weight = mul(mul(p, sub(d, delta)), shape.scale);
      }
      weight = j <= i ? weight : 0.0f;
      if (BY_QUERY) {
        w[a][b] = weight;
      } else {
        w[b][a] = weight;
      }
    }
  }
}

// One query head's DOT for the block's 64 rows and 64 of the result's channels.
template <Result RESULT>
DEVICE void head_product(Slabs& slabs, float (*kept)[TILE + 4], const Inputs& in, const Shape& shape, const Dropout& drop,
                         u32 sequence, u32 head, u32 r0, u32 d0, float (&total)[4][4]) {
  const bool BY_QUERY = RESULT == OUT || RESULT == DQ;
  Head q = head_of(in.q, in.q_stride, sequence, head, shape);
  Head k = head_of(in.k, in.k_stride, sequence, head / shape.group, shape);
  Head v = head_of(in.v, in.v_stride, sequence, head / shape.group, shape);
  Head d_out = head_of(in.d_out, shape.heads * shape.channels, sequence, head, shape);
  u32 statistics = (sequence * shape.heads + head) * shape.length;
  u32 y = r0 + tile_y();
  u32 first = BY_QUERY ? 0 : r0;
  u32 end = BY_QUERY && r0 + TILE < shape.length ? r0 + TILE : shape.length;
  float sum[4][4];
  clear(total);
  clear(sum);
  for (u32 c0 = first; c0 < end; c0 += TILE) {
    u32 x = c0 + tile_x();
    bool live = BY_QUERY ? y < shape.length && x <= y + 3 : x < shape.length && y <= x + 3;
    if (c0 % CHUNK == 0) {
      end_chunk(total, sum);
    }
    float s[4][4];
    float dp[4][4];
    float w[4][4];
    dot_tile(slabs, BY_QUERY ? q : k, BY_QUERY ? k : q, r0, c0, shape.length, shape.channels, live, s);
    if (RESULT == DQ || RESULT == DK) {
      dot_tile(slabs, BY_QUERY ? d_out : v, BY_QUERY ? v : d_out, r0, c0, shape.length, shape.channels, live, dp);
    } else {
      clear(dp);
    }
    clear(w);
    if (live) {
      weights<RESULT>(in, shape, drop, statistics, y, x, s, dp, w);
    }
#pragma unroll
    for (u32 j = 0; j < 4; j++) {
      *(float4*)&kept[tile_x() + j][tile_y()] = make_float4(w[0][j], w[1][j], w[2][j], w[3][j]);
    }
    const Head& values = RESULT == OUT ? v : RESULT == DQ ? k : RESULT == DK ? q : d_out;
    bool edge = BY_QUERY ? c0 + TILE > r0 : c0 < r0 + TILE || c0 + TILE > shape.length;
    bool owns = y < shape.length && d0 + tile_x() < shape.channels;
    for (u32 c = 0; c < TILE && c0 + c < end; c += SLAB) {
      load_straight(slabs.b, values, c0 + c, shape.length, d0, shape.channels);
      __syncthreads();
      if (owns && !edge) {
#pragma unroll
        for (u32 i = 0; i < SLAB; i++) {
          outer_product(&kept[c + i][tile_y()], &slabs.b[i][tile_x()], sum);
        }
      } else if (owns) {
#pragma unroll 1
        for (u32 i = 0; i < SLAB; i++) {
          float next[4][4];
#pragma unroll
          for (int a = 0; a < 4; a++) {
#pragma unroll
            for (int b = 0; b < 4; b++) {
              next[a][b] = sum[a][b];
            }
          }
          outer_product(&kept[c + i][tile_y()], &slabs.b[i][tile_x()], next);
          u32 column = c0 + c + i;
          // A masked term is absent, not a product with +0: the value may be infinite.
#pragma unroll
          for (u32 a = 0; a < 4; a++) {
            bool present = BY_QUERY ? column <= y + a : column >= y + a && column < shape.length;
#pragma unroll
            for (int b = 0; b < 4; b++) {
              sum[a][b] = present ? next[a][b] : sum[a][b];
            }
          }
        }
      }
      __syncthreads();
    }
  }
  end_chunk(total, sum);
}

template <Result RESULT>
DEVICE void attention(const Inputs& in, float* out, u32 out_stride, const Shape& shape, const Dropout& drop) {
  __shared__ __align__(16) Slabs slabs;
  __shared__ __align__(16) float kept[TILE][TILE + 4];
  const bool BY_QUERY = RESULT == OUT || RESULT == DQ;
  u32 tiles = (shape.length + TILE - 1) / TILE;
  u32 own_heads = BY_QUERY ? shape.heads : shape.heads / shape.group;
  u32 tile = blockIdx.x % tiles;
  u32 r0 = (BY_QUERY ? tiles - 1 - tile : tile) * TILE;  // the longest first
  u32 sequence = blockIdx.x / tiles / own_heads;
  u32 own_head = blockIdx.x / tiles % own_heads;
  u32 d0 = blockIdx.y * TILE;
  u32 passes = BY_QUERY ? 1 : shape.group;
  for (u32 pass = 0; pass < passes; pass++) {
    u32 head = BY_QUERY ? own_head : own_head * shape.group + pass;
    float total[4][4];
    head_product<RESULT>(slabs, kept, in, shape, drop, sequence, head, r0, d0, total);
#pragma unroll
    for (u32 a = 0; a < 4; a++) {
      u32 r = r0 + tile_y() + a;
#pragma unroll
      for (u32 b = 0; b < 4; b++) {
        u32 d = d0 + tile_x() + b;
        if (r < shape.length && d < shape.channels) {
          float* at = out + (sequence * shape.length + r) * out_stride + own_head * shape.channels + d;
          float value = total[a][b];
          if (RESULT == OUT && drop.active == 0) {
            value = quotient(value, in.row_sum[(sequence * shape.heads + head) * shape.length + r]);
          }
          *at = pass == 0 ? value : add(*at, value);
        }
      }
    }
  }
}

#define PRODUCT(NAME, RESULT)                                                                                             \
  extern "C" __global__ void __launch_bounds__(256, 2)                                                                    \
      NAME(const float* q, u32 q_stride, const float* k, u32 k_stride, const float* v, u32 v_stride, const float* d_out,  \
           const float* row_max, const float* row_sum, const float* delta, float* out, u32 out_stride, SHAPE_PARAMETERS,  \
           DROPOUT_PARAMETERS) {                                                                                          \
    attention<RESULT>(Inputs{q, q_stride, k, k_stride, v, v_stride, d_out, row_max, row_sum, delta}, out, out_stride,     \
                      SHAPE, DROPOUT);                                                                                    \
  }

PRODUCT(attention_out, OUT)
PRODUCT(attention_dq, DQ)
PRODUCT(attention_dk, DK)
PRODUCT(attention_dv, DV)
