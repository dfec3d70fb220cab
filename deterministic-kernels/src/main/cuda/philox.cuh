// Philox 4x32-10 and the dropout decisions drawn from it: docs/numerics.md, "Random numbers".
//
// Twin: protocol/random/Philox4x32.java, kernels/reference/DropoutMask.java.
#pragma once
#include "arithmetic.cuh"

// Four words of one block: counter (c0, c1, c2, c3) under key (k0, k1).
DEVICE uint4 philox(u32 c0, u32 c1, u32 c2, u32 c3, u32 k0, u32 k1) {
#pragma unroll
  for (int round = 0; round < 10; round++) {
    u32 high0 = __umulhi(0xD2511F53u, c0);
    u32 low0 = 0xD2511F53u * c0;
    u32 high1 = __umulhi(0xCD9E8D57u, c2);
    u32 low1 = 0xCD9E8D57u * c2;
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return make_uint4(c0, c1, c2, c3);
}

// One dropout operator at one step, as eight kernel parameters in this order.
#define DROPOUT_PARAMETERS                                                                                    \
  u32 drop_active, u32 drop_operator, u32 drop_threshold, float drop_scale, u32 drop_update, u32 drop_worker, \
      u32 drop_key_low, u32 drop_key_high
#define DROPOUT \
  Dropout { drop_active, drop_operator, drop_threshold, drop_scale, drop_update, drop_worker, drop_key_low, drop_key_high }

struct Dropout {
  u32 active;     // 0: the operator does not exist, everything is kept and nothing is multiplied
  u32 number;     // c3
  u32 threshold;  // an element stays when its word is below
  float scale;    // (float)(1.0/keep)
  u32 update;     // c1: the update count after this step
  u32 worker;     // c2: worker << 16 | micro-batch
  u32 key_low;
  u32 key_high;
};

// The four words of elements 4·block … 4·block + 3.
DEVICE uint4 dropout_words(const Dropout& d, u32 block) {
  return philox(block, d.update, d.worker, d.number, d.key_low, d.key_high);
}

DEVICE u32 dropout_word(uint4 words, u32 element) {
  u32 w = element & 3u;
  return w == 0u ? words.x : w == 1u ? words.y : w == 2u ? words.z : words.w;
}

// keep ? x·scale : +0.
DEVICE float dropout(const Dropout& d, u32 word, float x) { return word < d.threshold ? mul(x, d.scale) : 0.0f; }
