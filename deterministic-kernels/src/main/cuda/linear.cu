// Matrix products of linear layers: C[m][n] = DOT over k of A(m, k)·B(k, n), M×N×K, C row-major.
//
// Three storage orders, which are all that a layer needs (x [N, I], dy [N, O]):
//   nn: A[m][k], B[k][n]   forward IN_OUT, input gradient OUT_IN
//   nt: A[m][k], B[n][k]   forward OUT_IN, input gradient IN_OUT
//   tn: A[k][m], B[k][n]   weight gradient, both layouts
// Order: a tile accumulates chunks of 512 of k in registers, one fused chain per element with k ascending; at each boundary the
// chunk sum is added to the total, which lives in C itself (read, add, write by the thread that owns the element). A second
// register tile for the total would halve the number of resident blocks. The first chunk is added to +0.
// bias (may be null) is added last, as an operation of its own. add_to (needs K <= 512): C = C + DOT.
//
// Geometry: *_128: tile 128×128×8, 256 threads, 8×8 per thread; *_32: tile 32×32×8, 64 threads, 4×4 per thread. grid x:
// tiles of n, grid y: tiles of m. Shared memory is double-buffered; one barrier a k tile. *_odd takes any M, N, K; the others
// need all three to be multiples of 4, and then move 16 bytes at a time.
//
// Twin: kernels/reference/LinearKernel.java.
#include "arithmetic.cuh"

static const int DEPTH = 8;
static const u32 CHUNK_TILES = CHUNK / DEPTH;

// Four operand values in registers on their way to shared memory.
struct Four {
  float v[4];
};

// An operand as the tile sees it: `outer` is m or n, `k` the summation index. K_INNER: element (outer, k) at outer·k_extent + k,
// else at k·outer_extent + outer. Values outside are +0, which a DOT does not see.
template <bool K_INNER, bool ODD>
DEVICE Four load(const float* x, u32 outer, u32 k, u32 outer_extent, u32 k_extent) {
  Four out;
  if (ODD) {
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
      u32 o = K_INNER ? outer : outer + i;
      u32 d = K_INNER ? k + i : k;
      out.v[i] = o < outer_extent && d < k_extent ? x[K_INNER ? o * k_extent + d : d * outer_extent + o] : 0.0f;
    }
  } else {
    float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (outer < outer_extent && k < k_extent) {
      v = *(const float4*)(x + (K_INNER ? outer * k_extent + k : k * outer_extent + outer));
    }
    out.v[0] = v.x;
    out.v[1] = v.y;
    out.v[2] = v.z;
    out.v[3] = v.w;
  }
  return out;
}

// Where in a tile of EXTENT×8 a thread's four values are: along k for K_INNER, else along the outer index.
template <bool K_INNER, int EXTENT>
DEVICE u32 outer_of(u32 t) {
  return K_INNER ? t / 2 : (t % (EXTENT / 4)) * 4;
}

template <bool K_INNER, int EXTENT>
DEVICE u32 k_of(u32 t) {
  return K_INNER ? (t % 2) * 4 : t / (EXTENT / 4);
}

// The shared tile is k-major with a pad of four, so that fragments are 16 bytes and transposed stores spread over banks.
template <bool K_INNER, int EXTENT>
DEVICE void store(float (*tile)[EXTENT + 4], u32 t, const Four& four) {
  u32 outer = outer_of<K_INNER, EXTENT>(t);
  u32 k = k_of<K_INNER, EXTENT>(t);
  if (K_INNER) {
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
      tile[k + i][outer] = four.v[i];
    }
  } else {
    *(float4*)&tile[k][outer] = make_float4(four.v[0], four.v[1], four.v[2], four.v[3]);
  }
}

// Adds a thread's chunk sums to the totals in C.
template <int TILE, int PER, bool ODD>
DEVICE void flush(float (&sum)[PER][PER], float* c, const float* bias, u32 row0, u32 col0, u32 m, u32 n, bool first,
                  bool last, bool add_to) {
#pragma unroll
  for (int i = 0; i < PER; i++) {
    u32 row = row0 + (i / 4) * (TILE / (PER / 4)) + i % 4;
#pragma unroll
    for (int j = 0; j < PER; j += 4) {
      u32 col = col0 + (j / 4) * (TILE / (PER / 4));
      float* at = c + row * n + col;
      if (ODD) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
          if (row < m && col + k < n) {
            float total = add(first ? 0.0f : at[k], sum[i][j + k]);
            total = last && bias != nullptr ? add(total, bias[col + k]) : total;
            at[k] = add_to ? add(at[k], total) : total;
          }
        }
      } else if (row < m && col < n) {
        float4 old = first && !add_to ? make_float4(0.0f, 0.0f, 0.0f, 0.0f) : *(float4*)at;
        float before[4] = {old.x, old.y, old.z, old.w};
        float out[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
          float total = add(first ? 0.0f : before[k], sum[i][j + k]);
          total = last && bias != nullptr ? add(total, bias[col + k]) : total;
          out[k] = add_to ? add(before[k], total) : total;
        }
        *(float4*)at = make_float4(out[0], out[1], out[2], out[3]);
      }
#pragma unroll
      for (int k = 0; k < 4; k++) {
        sum[i][j + k] = 0.0f;
      }
    }
  }
}

template <int TILE, int PER, bool A_K_INNER, bool B_K_INNER, bool ODD>
DEVICE void product(const float* a, const float* b, float* c, const float* bias, u32 m, u32 n, u32 k, u32 add_to) {
  __shared__ __align__(16) float as[2][DEPTH][TILE + 4];
  __shared__ __align__(16) float bs[2][DEPTH][TILE + 4];
  const int GROUPS = PER / 4;
  const u32 SIDE = TILE / PER;
  u32 t = threadIdx.x;
  u32 m0 = blockIdx.y * TILE;
  u32 n0 = blockIdx.x * TILE;
  u32 x4 = (t % SIDE) * 4;
  u32 y4 = (t / SIDE) * 4;
  bool live = m0 + y4 < m && n0 + x4 < n;
  u32 a_outer = m0 + outer_of<A_K_INNER, TILE>(t);
  u32 b_outer = n0 + outer_of<B_K_INNER, TILE>(t);
  u32 a_k = k_of<A_K_INNER, TILE>(t);
  u32 b_k = k_of<B_K_INNER, TILE>(t);

  float sum[PER][PER];
#pragma unroll
  for (int i = 0; i < PER; i++) {
#pragma unroll
    for (int j = 0; j < PER; j++) {
      sum[i][j] = 0.0f;
    }
  }
  Four a_next = load<A_K_INNER, ODD>(a, a_outer, a_k, m, k);
  Four b_next = load<B_K_INNER, ODD>(b, b_outer, b_k, n, k);
  store<A_K_INNER, TILE>(as[0], t, a_next);
  store<B_K_INNER, TILE>(bs[0], t, b_next);
  __syncthreads();

  u32 tiles = (k + DEPTH - 1) / DEPTH;
  for (u32 tile = 0; tile < tiles; tile++) {
    u32 now = tile & 1u;
    bool more = tile + 1 < tiles;
    if (more) {
      a_next = load<A_K_INNER, ODD>(a, a_outer, a_k + (tile + 1) * DEPTH, m, k);
      b_next = load<B_K_INNER, ODD>(b, b_outer, b_k + (tile + 1) * DEPTH, n, k);
    }
    if (live) {
#pragma unroll
      for (int d = 0; d < DEPTH; d++) {
        float af[PER];
        float bf[PER];
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
          float4 av = *(const float4*)&as[now][d][y4 + g * (TILE / GROUPS)];
          float4 bv = *(const float4*)&bs[now][d][x4 + g * (TILE / GROUPS)];
          af[4 * g] = av.x;
          af[4 * g + 1] = av.y;
          af[4 * g + 2] = av.z;
          af[4 * g + 3] = av.w;
          bf[4 * g] = bv.x;
          bf[4 * g + 1] = bv.y;
          bf[4 * g + 2] = bv.z;
          bf[4 * g + 3] = bv.w;
        }
#pragma unroll
        for (int i = 0; i < PER; i++) {
#pragma unroll
          for (int j = 0; j < PER; j++) {
            sum[i][j] = fused(af[i], bf[j], sum[i][j]);
          }
        }
      }
      if (!more || tile % CHUNK_TILES == CHUNK_TILES - 1) {
        flush<TILE, PER, ODD>(sum, c, bias, m0 + y4, n0 + x4, m, n, tile < CHUNK_TILES, !more, add_to != 0);
      }
    }
    if (more) {
      store<A_K_INNER, TILE>(as[now ^ 1u], t, a_next);
      store<B_K_INNER, TILE>(bs[now ^ 1u], t, b_next);
      __syncthreads();
    }
  }
}

#define PRODUCT(NAME, TILE, PER, A_K_INNER, B_K_INNER, ODD)                                                            \
  extern "C" __global__ void __launch_bounds__((TILE / PER) * (TILE / PER), PER == 8 ? (ODD ? 1 : 2) : 8)                            \
      NAME(const float* a, const float* b, float* c, const float* bias, u32 m, u32 n, u32 k, u32 add_to) {               \
    product<TILE, PER, A_K_INNER, B_K_INNER, ODD>(a, b, c, bias, m, n, k, add_to);                                       \
  }

PRODUCT(linear_nn_128, 128, 8, true, false, false)
PRODUCT(linear_nt_128, 128, 8, true, true, false)
PRODUCT(linear_tn_128, 128, 8, false, false, false)
PRODUCT(linear_nn_128_odd, 128, 8, true, false, true)
PRODUCT(linear_nt_128_odd, 128, 8, true, true, true)
PRODUCT(linear_tn_128_odd, 128, 8, false, false, true)
PRODUCT(linear_nn_32, 32, 4, true, false, false)
PRODUCT(linear_nt_32, 32, 4, true, true, false)
PRODUCT(linear_tn_32, 32, 4, false, false, false)
PRODUCT(linear_nn_32_odd, 32, 4, true, false, true)
PRODUCT(linear_nt_32_odd, 32, 4, true, true, true)
PRODUCT(linear_tn_32_odd, 32, 4, false, false, true)
