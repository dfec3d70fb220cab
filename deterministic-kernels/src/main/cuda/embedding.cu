// Token and position embedding, forward and backward. N = tokens of the micro-batch, C = width, element n·C + c.
//
// embedding: out[n][c] = drop(table[id[n]][c] (+ positions[n mod T][c])); positions is null where a family has none. One
//   thread takes four flat elements (they share a Philox block).
// embedding_gradient: out[r][c] = (add: out[r][c] +) DOT over the tokens n of row r, ascending, of 1·drop(d[n][c]), chunks of
//   512 on n. Row r's tokens are order[start[r] … start[r + 1] − 1], ascending: the host sorts ids (for dTokens) or positions
//   (for dPositions). One thread an element. Rows without tokens become +0.
//
// Twin: kernels/reference/EmbeddingKernel.java.
#include "philox.cuh"

KERNEL embedding(const int* ids, const float* table, const float* positions, float* out, u32 tokens, u32 length, u32 width,
                 DROPOUT_PARAMETERS) {
  Dropout drop = DROPOUT;
  u32 quad = flat_thread();
  u32 n = tokens * width;
  if (quad >= (n + 3) / 4) {
    return;
  }
  uint4 words = drop.active != 0 ? dropout_words(drop, quad) : make_uint4(0, 0, 0, 0);
  for (u32 w = 0; w < 4; w++) {
    u32 i = 4 * quad + w;
    if (i < n) {
      u32 token = i / width;
      u32 c = i - token * width;
      float x = table[(u32)ids[token] * width + c];
      if (positions != nullptr) {
        x = add(x, positions[(token % length) * width + c]);
      }
      out[i] = drop.active != 0 ? dropout(drop, dropout_word(words, w), x) : x;
    }
  }
}

KERNEL embedding_gradient(const int* order, const int* start, const float* d, float* out, u32 rows, u32 width, u32 add_to,
                          DROPOUT_PARAMETERS) {
  Dropout drop = DROPOUT;
  u32 i = flat_thread();
  if (i >= rows * width) {
    return;
  }
  u32 row = i / width;
  u32 c = i - row * width;
  float total = 0.0f;
  float sum = 0.0f;
  int chunk = 0;
  for (int at = start[row]; at < start[row + 1]; at++) {
    int token = order[at];
    if (token >> CHUNK_SHIFT != chunk) {
      total = add(total, sum);
      sum = 0.0f;
      chunk = token >> CHUNK_SHIFT;
    }
    u32 element = (u32)token * width + c;
    float x = d[element];
    if (drop.active != 0) {
      x = dropout(drop, dropout_word(dropout_words(drop, element >> 2), element), x);
    }
    sum = fused(1.0f, x, sum);
  }
  total = add(total, sum);
  out[i] = add_to != 0 ? add(out[i], total) : total;
}
