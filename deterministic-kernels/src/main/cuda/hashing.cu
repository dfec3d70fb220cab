// Tensor digests where the tensor is: SHA-256 tree hashes (RFC 9162) over chunks of 16,384 bytes of little-endian float32,
// every NaN as 7fc00000. docs/formats.md, "State".
//
// hash_chunks: out[8·c …] = SHA-256(0x00 ‖ chunk c), one thread a chunk; the last chunk may be short. hash_pairs: one level of
// the tree: out node i = SHA-256(0x01 ‖ node 2i ‖ node 2i + 1), an odd last node moves up unchanged. One thread a node. Nodes
// are eight 32-bit words, most significant first. `constants` are the 64 round constants of SHA-256.
//
// Twin: protocol/tensor/TensorDigests.java, protocol/merkle.
#include "arithmetic.cuh"

static const u32 CHUNK_FLOATS = 4096;

DEVICE u32 rotate_right(u32 x, int n) { return (x >> n) | (x << (32 - n)); }

DEVICE u32 swap_bytes(u32 x) {
  return (x >> 24) | ((x >> 8) & 0xff00u) | ((x << 8) & 0xff0000u) | (x << 24);
}

DEVICE void sha_start(u32 (&h)[8]) {
  h[0] = 0x6a09e667u;
  h[1] = 0xbb67ae85u;
  h[2] = 0x3c6ef372u;
  h[3] = 0xa54ff53au;
  h[4] = 0x510e527fu;
  h[5] = 0x9b05688cu;
  h[6] = 0x1f83d9abu;
  h[7] = 0x5be0cd19u;
}

// One 64-byte block; the schedule is kept in a ring of sixteen registers, so the rounds are unrolled sixteen at a time.
DEVICE void sha_block(u32 (&h)[8], u32 (&w)[16], const u32* constants) {
  u32 a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], k = h[7];
  for (int round = 0; round < 64; round += 16) {
#pragma unroll
    for (int i = 0; i < 16; i++) {
      u32 t1 = k + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25)) + ((e & f) ^ (~e & g)) +
               constants[round + i] + w[i];
      u32 t2 = (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      k = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
      u32 w1 = w[(i + 1) & 15];
      u32 w14 = w[(i + 14) & 15];
      w[i] += (rotate_right(w1, 7) ^ rotate_right(w1, 18) ^ (w1 >> 3)) + w[(i + 9) & 15] +
              (rotate_right(w14, 17) ^ rotate_right(w14, 19) ^ (w14 >> 10));
    }
  }
  h[0] += a;
  h[1] += b;
  h[2] += c;
  h[3] += d;
  h[4] += e;
  h[5] += f;
  h[6] += g;
  h[7] += k;
}

KERNEL hash_chunks(const float* x, u32 n, u32* out, u32 chunks, const u32* constants) {
  u32 chunk = flat_thread();
  if (chunk >= chunks) {
    return;
  }
  const float* in = x + chunk * CHUNK_FLOATS;
  u32 floats = n - chunk * CHUNK_FLOATS < CHUNK_FLOATS ? n - chunk * CHUNK_FLOATS : CHUNK_FLOATS;
  u32 h[8];
  sha_start(h);
  // The message is one zero byte, then the data: every word holds the last byte of a float and the first three of the next.
  u32 before = 0;
  u32 blocks = (4 * floats + 1 + 9 + 63) / 64;
  for (u32 block = 0; block < blocks; block++) {
    u32 w[16];
#pragma unroll
    for (u32 i = 0; i < 16; i++) {
      u32 at = 16 * block + i;
      u32 word = before & 0xff000000u;
      before = 0;
      if (at < floats) {
        u32 b = bits(one_nan(in[at]));
        word |= swap_bytes(b) >> 8;
        before = b;
      } else if (at == floats) {
        word |= 0x00800000u;
      }
      w[i] = word;
    }
    if (block == blocks - 1) {
      w[15] = 8 * (4 * floats + 1);
    }
    sha_block(h, w, constants);
  }
#pragma unroll
  for (int i = 0; i < 8; i++) {
    out[8 * chunk + i] = h[i];
  }
}

KERNEL hash_pairs(const u32* in, u32 nodes, u32* out, const u32* constants) {
  u32 node = flat_thread();
  if (node >= (nodes + 1) / 2) {
    return;
  }
  u32 h[8];
  u32 l[8];
#pragma unroll
  for (int i = 0; i < 8; i++) {
    l[i] = in[16 * node + i];
  }
  if (2 * node + 1 == nodes) {
#pragma unroll
    for (int i = 0; i < 8; i++) {
      out[8 * node + i] = l[i];
    }
    return;
  }
  u32 r[8];
#pragma unroll
  for (int i = 0; i < 8; i++) {
    r[i] = in[16 * node + 8 + i];
  }
  u32 w[16];
  w[0] = 0x01000000u | (l[0] >> 8);
#pragma unroll
  for (int i = 1; i < 8; i++) {
    w[i] = (l[i - 1] << 24) | (l[i] >> 8);
  }
  w[8] = (l[7] << 24) | (r[0] >> 8);
#pragma unroll
  for (int i = 1; i < 8; i++) {
    w[8 + i] = (r[i - 1] << 24) | (r[i] >> 8);
  }
  sha_start(h);
  sha_block(h, w, constants);
#pragma unroll
  for (int i = 0; i < 16; i++) {
    w[i] = 0;
  }
  w[0] = (r[7] << 24) | 0x00800000u;
  w[15] = 8 * 65;
  sha_block(h, w, constants);
#pragma unroll
  for (int i = 0; i < 8; i++) {
    out[8 * node + i] = h[i];
  }
}
