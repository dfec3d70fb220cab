"""The operations, sums, functions and random numbers of the numeric profiles in NumPy, bit for bit.

Written from docs/numerics.md and nothing else. Every function works on whole arrays: the order of a sum is fixed by the
profile, so each element has its own chain, and NumPy takes one step of all chains at a time.
"""

import numpy as np

F = np.float32
CHUNK, LANES, SEGMENT = 512, 128, 65536
NAN = np.uint32(0x7FC00000).view(F)


def of_bits(pattern):
    return np.uint32(int(pattern, 16)).view(F)


def of_hex(literal):
    return F(float.fromhex(literal))


def fma(a, b, c):
    """One rounding: the product is exact in binary64, the sum is rounded to odd, so that rounding to float32 is exact."""
    p = np.asarray(a, np.float64) * np.asarray(b, np.float64)
    c = np.asarray(c, np.float64)
    s = p + c
    t = s - p
    error = (p - (s - t)) + (c - t)
    bits = s.view(np.int64)
    away = np.where((error > 0) == (s > 0), 1, -1)
    inexact = (error != 0) & (bits & 1 == 0) & np.isfinite(s)
    return (bits + np.where(inexact, away, 0)).view(np.float64).astype(F)


def bf16(x):
    """To the nearest bfloat16, of two equally near to the one whose bit 16 is 0."""
    bits = np.asarray(x, F).view(np.uint32)
    low = bits & 0xFFFF
    up = (low > 0x8000) | ((low == 0x8000) & (bits & 0x10000 != 0))
    rounded = ((bits & 0xFFFF0000) + np.where(up, np.uint32(0x10000), np.uint32(0))).view(F)
    return np.where(np.isnan(x), NAN, rounded)


# Sums


def dot(a, b, present=None):
    """DOT over the last axis; the other axes broadcast. Absent terms are skipped."""
    shape = np.broadcast_shapes(a.shape, b.shape)
    total = np.zeros(shape[:-1], F)
    for start in range(0, shape[-1], CHUNK):
        s = np.zeros(shape[:-1], F)
        for k in range(start, min(start + CHUNK, shape[-1])):
            term = fma(a[..., k], b[..., k], s)
            s = term if present is None else np.where(present[..., k], term, s)
        total = total + s
    return total


def product(a, b):
    """A matrix product [n, k] by [k, m] whose sums are DOT."""
    return dot(a[:, None, :], b.T[None, :, :])


def lane_sum(add, *rows):
    """128 lanes over the last axis, then halves onto halves; add(lane, elements…) is one step of a lane."""
    s = np.zeros((*rows[0].shape[:-1], LANES), F)
    for i in range(0, rows[0].shape[-1], LANES):
        blocks = [r[..., i : i + LANES] for r in rows]
        n = blocks[0].shape[-1]
        s[..., :n] = add(s[..., :n], *blocks)
    w = LANES // 2
    while w:
        s[..., :w] = s[..., :w] + s[..., w : 2 * w]
        w //= 2
    return F(0) + s[..., 0]


def sum128(x):
    return lane_sum(lambda s, v: s + v, x)


def sumsq128(x):
    return lane_sum(lambda s, v: fma(v, v, s), x)


def dot128(a, b):
    return lane_sum(lambda s, u, v: fma(u, v, s), a, b)


def global_sum(row_sum, tensors):
    """Segments of a tensor by float32 lanes, then a chain in binary64 over all of them."""
    chain = 0.0
    for t in tensors:
        flat = t.reshape(-1)
        for i in range(0, len(flat), SEGMENT):
            chain += float(row_sum(flat[i : i + SEGMENT]))
    return chain


def row_maximum(x, present=None):
    m = np.full(x.shape[:-1], -np.inf, F)
    for j in range(x.shape[-1]):
        greater = x[..., j] > m
        m = np.where(greater if present is None else greater & present[..., j], x[..., j], m)
    return m + F(0)


# Functions


def horner(x, coefficients):
    first, *rest = [of_bits(c) for c in coefficients.split()]
    q = np.full_like(x, first)
    for c in rest:
        q = fma(q, x, c)
    return q


def exp(x):
    c = np.where(x < F(-104), F(-104), np.where(x > F(89), F(89), x))
    n = fma(c, of_hex("0x1.715476p0"), F(12582912)) - F(12582912)
    r = fma(n, of_hex("-0x1.62e4p-1"), c)
    r = fma(n, of_hex("-0x1.7f7d1cp-20"), r)
    q = horner(r, "3ab524b0 3c091cd0 3d2aac5a 3e2aaa49 3efffffe")
    y = fma(r * r, q, r) + F(1)
    e = np.where(np.isnan(x), F(0), n).astype(np.int32)
    first = e >> 1
    return np.where(np.isnan(x), NAN, (y * np.ldexp(F(1), first)) * np.ldexp(F(1), e - first))


def log(x):
    """Of positive finite numbers, which is all that a training step asks for unless it is INVALID."""
    tiny = x.view(np.uint32) < 0x00800000
    x = np.where(tiny, x * F(2**23), x)
    i = x.view(np.int32) - np.int32(0x3F2AAAAB)
    e = np.where(tiny, -23, 0) + (i >> 23)
    f = ((i & 0x7FFFFF) + np.int32(0x3F2AAAAB)).view(F) - F(1)
    q = horner(f, "be03e24a 3e0f3665 bdf9995b 3e0f6ab1 be2ace33 3e4ce828 be7fff7d 3eaaaa83 bf000000")
    r = fma(e.astype(F), of_hex("0x1.7f7d1cp-20"), fma(f * f, q, f))
    return fma(e.astype(F), of_hex("0x1.62e4p-1"), r)


def tanh(x):
    a = np.abs(x)
    s = a * a
    low = fma(horner(s, "bbba86e8 3ca8fc77 bd5c1ad3 3e08837b beaaaa99") * s, a, a)
    b = np.minimum(a, F(10))
    high = F(1) - F(2) / (exp(b + b) + F(1))
    return np.copysign(np.where(a < F(0.625), low, high), x)


def sigmoid(x):
    e = exp(-np.abs(x))
    return np.where(x >= 0, F(1), e) / (F(1) + e)


# Random numbers


def philox(counter, seed):
    """The four words of Philox 4x32-10 for arrays of counters (c0, c1, c2, c3)."""
    mask = np.uint64(0xFFFFFFFF)
    c = [np.asarray(x, np.uint64) for x in np.broadcast_arrays(*counter)]
    k0, k1 = seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF
    for _ in range(10):
        left, right = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        high = np.uint64(32)
        c = [(right >> high) ^ c[1] ^ np.uint64(k0), right & mask, (left >> high) ^ c[3] ^ np.uint64(k1), left & mask]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack(c, axis=-1)


def normal(seed, index, count):
    """Twelve uniform words an element, summed: an initial weight before its standard deviation."""
    block = np.arange(3 * count, dtype=np.uint64)
    words = philox((block & np.uint64(0xFFFFFFFF), block >> np.uint64(32), 0, 0x80000000 | index), seed)
    total = words.astype(np.int64).reshape(count, 12).sum(axis=1) - 6 * 2**32
    return total.astype(F) * F(2.0**-32)
