"""The loss and the gradients of a micro-batch under a numeric profile, written from docs/numerics.md.

Arrays of activations are [tokens, channels]; inside attention they are [sequences, heads, positions, channels]. Whatever
stands between two operators goes through `store`, which under BF16-C512 v1 rounds and under F32-C512 v1 does nothing.
"""

import math

import numpy as np

from profile_math import F, bf16, dot, dot128, exp, fma, log, of_hex, philox, product
from profile_math import row_maximum, sigmoid, sum128, sumsq128, tanh

TANH_SCALE = of_hex("0x1.988454p-1")


class MicroBatch:
    """What the operators of one micro-batch share: the configuration, the weights as a step reads them, dropout's address."""

    def __init__(self, config, weights, worker, number, count):
        self.c = config
        self.store = bf16 if config["profile"] == "BF16-C512 v1" else lambda x: x
        self.w = {n: self.store(w) for n, w in weights.items()}
        batch = config["workers"][worker][number]
        self.ids, self.targets = np.array(batch["ids"]), np.array(batch["targets"]).reshape(-1)
        self.sequences, self.length = self.ids.shape
        self.tokens = self.ids.reshape(-1)
        self.position = np.tile(np.arange(self.length), self.sequences)
        self.place = worker << 16 | number
        self.inverse_count = F(1.0 / count)
        self.losses, self.grads = None, {}
        self.heads = config.get("heads", 1)
        self.kv_heads = config.get("kv_heads", self.heads)
        self.head_dim = config.get("head_dim", config["d"] // self.heads)
        self.present = np.tril(np.ones((self.length, self.length), bool))

    def mask(self, operator, kind, shape):
        """Dropout as a function of an array; without a rate, the operator does not exist."""
        rate = self.c.get(kind + "_pdrop", self.c.get("dropout", 0))
        if not rate:
            return None
        keep = 1 - rate
        element = np.arange(math.prod(shape), dtype=np.uint64)
        words = philox((element >> np.uint64(2), self.c["step"], self.place, operator), self.c["seed"])
        word = words[np.arange(len(element)), (element & np.uint64(3)).astype(int)]
        kept = (word < min(math.floor(keep * 2**32 + 0.5), 2**32 - 1)).reshape(shape)
        scale = F(1.0 / keep)
        return lambda x: np.where(kept, x * scale, F(0))

    # Linear, embedding, head

    def linear(self, x, weight, bias=None, stored_out_first=False):
        w = self.w[weight].T if stored_out_first else self.w[weight]
        y = product(x, w)
        return self.store(y if bias is None else y + self.w[bias])

    def linear_back(self, dy, x, weight, bias=None, stored_out_first=False, onto=None):
        w = self.w[weight] if stored_out_first else self.w[weight].T
        dw = product(x.T, dy)
        self.add_grad(weight, dw.T if stored_out_first else dw)
        if bias:
            self.add_grad(bias, column_sums(dy))
        dx = product(dy, w)
        return self.store(dx if onto is None else onto + dx)

    def add_grad(self, name, g):
        """Where a tied tensor has two gradients, the embedding's comes first; two numbers have the same sum either way."""
        self.grads[name] = self.grads[name] + g if name in self.grads else g

    def embedding_grad(self, name, ids, dx):
        one_hot = ids[None, :] == np.arange(len(self.w[name]))[:, None]
        self.add_grad(name, dot(np.ones((1, 1, len(ids)), F), dx.T[None, :, :], one_hot[:, None, :]))

    def cross_entropy(self, logits):
        m = row_maximum(logits)
        e = exp(logits - m[:, None])
        z = sum128(e)
        inverse_z = F(1) / z
        rows, real = np.arange(len(logits)), self.targets >= 0
        at = np.where(real, self.targets, 0)
        self.losses = np.where(real, (m + log(z)) - logits[rows, at], F(0))
        one = np.zeros_like(logits)
        one[rows, at] = 1
        dl = ((e * inverse_z[:, None]) - one) * self.inverse_count
        return self.store(np.where(real[:, None], dl, F(0)))

    # Norms give y and their backward, which adds to the gradient of the residual stream, if any, before it is stored

    def layer_norm(self, x, name):
        gain, bias, inverse_n = self.w[name + ".weight"], self.w[name + ".bias"], F(1.0 / x.shape[1])
        z = x - (sum128(x) * inverse_n)[:, None]
        r = (F(1) / np.sqrt(sumsq128(z) * inverse_n + F(self.c["norm_eps"])))[:, None]
        hat = z * r

        def back(dy, onto=None):
            h = dy * gain
            a, b = (sum128(h) * inverse_n)[:, None], (dot128(h, hat) * inverse_n)[:, None]
            self.add_grad(name + ".weight", dot(dy.T, hat.T))
            self.add_grad(name + ".bias", column_sums(dy))
            dx = r * ((h - a) - (hat * b))
            return self.store(dx if onto is None else onto + dx)

        return self.store(fma(hat, gain, bias)), back

    def rms_norm(self, x, name):
        gain, inverse_n = self.w[name + ".weight"], F(1.0 / x.shape[1])
        r = (F(1) / np.sqrt(sumsq128(x) * inverse_n + F(self.c["norm_eps"])))[:, None]

        def back(dy, onto=None):
            h = dy * gain
            t = (dot128(h, x) * inverse_n)[:, None] * ((r * r) * r)
            self.add_grad(name + ".weight", dot(dy.T, (x * r).T))
            dx = fma(-t, x, h * r)
            return self.store(dx if onto is None else onto + dx)

        return self.store((x * r) * gain), back

    # Attention

    def split(self, x):
        return x.reshape(self.sequences, self.length, -1, self.head_dim).transpose(0, 2, 1, 3)

    def join(self, x):
        return x.transpose(0, 2, 1, 3).reshape(self.sequences * self.length, -1)

    def attention(self, q, k, v, operator):
        """Gives O and the backward, from dO to (dQ, dK, dV)."""
        group = self.heads // self.kv_heads
        q, k, v = self.split(q), np.repeat(self.split(k), group, 1), np.repeat(self.split(v), group, 1)
        scale = F(1.0 / math.sqrt(self.head_dim))
        present = self.present
        s = dot(q[:, :, :, None, :], k[:, :, None, :, :]) * scale
        m = row_maximum(s, present)
        e = np.where(present, exp(s - m[..., None]), F(0))
        z = sum128(e)[..., None]
        rz = F(1) / z
        p = e * rz
        drop = self.mask(operator, "attn", s.shape)
        kept = drop(p) if drop else p
        over_keys = lambda a, b: dot(a[:, :, :, None, :], np.swapaxes(b, 2, 3)[:, :, None, :, :], present[:, None, :])
        over_queries = lambda a, b: dot(
            np.swapaxes(a, 2, 3)[:, :, :, None, :], np.swapaxes(b, 2, 3)[:, :, None, :, :], present.T[:, None, :]
        )
        o = self.store(over_keys(kept, v) if drop else over_keys(e, v) / z)

        def back(do):
            do = self.split(do)
            dv = over_queries(kept, do)
            dp = dot(do[:, :, :, None, :], v[:, :, None, :, :])
            dp = drop(dp) if drop else dp
            ds = (p * (dp - dot128(do, o)[..., None])) * scale
            dq, dk = over_keys(ds, k), over_queries(ds, q)
            return tuple(self.store(self.join(x)) for x in (dq, sum_groups(dk, group), sum_groups(dv, group)))

        return self.join(o), back

    def rotate(self, x, sign):
        """RoPE forward (sign 1) or backward (-1), on pairs (i, i + D/2)."""
        half = self.head_dim // 2
        cosine, sine = rope_table(self.length, half, self.c.get("rope_theta", 10000.0))
        x = self.split(x)
        x0, x1, sine = x[..., :half], x[..., half:], F(sign) * sine
        y = np.concatenate([fma(-x1, sine, x0 * cosine), fma(x1, cosine, x0 * sine)], axis=-1)
        return self.store(self.join(y))

    # Elementwise

    def gelu(self, x):
        t = tanh(TANH_SCALE * fma((x * x) * x, F(0.044715), x))

        def back(dy):
            c = TANH_SCALE * fma(x * x, F(0.134145), F(1))
            g = fma((F(0.5) * x) * fma(-t, t, F(1)), c, fma(F(0.5), t, F(0.5)))
            return self.store(dy * g)

        return self.store((F(0.5) * x) * (F(1) + t)), back

    def swiglu(self, g, u):
        s = sigmoid(g)
        a = g * s

        def back(dh):
            da = dh * u
            return self.store(da * fma(a, F(1) - s, s)), self.store(dh * a)

        return self.store(a * u), back

    def residual(self, x, branch, operator):
        """Gives the sum and the backward of dropout on the branch."""
        drop = self.mask(operator, "resid", x.shape)
        if not drop:
            return self.store(x + branch), lambda dx: dx
        return self.store(x + drop(branch)), lambda dx: self.store(drop(dx))

    def embed(self, x):
        """Gives what the embedding stores, and the mask of its gradient, which is summed without being stored."""
        drop = self.mask(0, "embd", x.shape)
        return (self.store(drop(x)), drop) if drop else (self.store(x), lambda dx: dx)


def column_sums(dy):
    return dot(dy.T, np.ones((1, len(dy)), F))


def sum_groups(x, group):
    """Over the query heads that share a key/value head, ascending, starting with a copy of the first."""
    total = x[:, ::group]
    for h in range(1, group):
        total = total + x[:, h::group]
    return total


def rope_table(length, half, theta):
    """By this machine's libm, which may round an entry of a million otherwise than fdlibm."""
    angles = [[position * (1.0 / math.pow(theta, (2 * i) / (2 * half))) for i in range(half)] for position in range(length)]
    return tuple(np.array([[f(a) for a in row] for row in angles], F) for f in (math.cos, math.sin))


# The families


def gpt2_shapes(c):
    d, ff = c["d"], c["ff"]
    shapes = {"transformer.wte.weight": (c["vocab"], d), "transformer.wpe.weight": (c["context"], d)}
    for layer in range(c["layers"]):
        h = f"transformer.h.{layer}."
        for norm in ("ln_1", "ln_2"):
            shapes |= {h + norm + ".weight": (d,), h + norm + ".bias": (d,)}
        for name, i, o in (("attn.c_attn", d, 3 * d), ("attn.c_proj", d, d), ("mlp.c_fc", d, ff), ("mlp.c_proj", ff, d)):
            shapes |= {h + name + ".weight": (i, o), h + name + ".bias": (o,)}
    shapes |= {"transformer.ln_f.weight": (d,), "transformer.ln_f.bias": (d,)}
    return shapes if c.get("tied", True) else shapes | {"lm_head.weight": (c["vocab"], d)}


def gpt2(b):
    """Losses and gradients of a micro-batch of the GPT-2 family, left in b."""
    head = "transformer.wte.weight" if b.c.get("tied", True) else "lm_head.weight"
    x, embed_back = b.embed(b.w["transformer.wte.weight"][b.tokens] + b.w["transformer.wpe.weight"][b.position])
    backs = []
    for layer in range(b.c["layers"]):
        x, back = gpt2_block(b, x, layer)
        backs.append(back)
    y, norm_back = b.layer_norm(x, "transformer.ln_f")
    dx = b.cross_entropy(b.linear(y, head, stored_out_first=True))
    dx = norm_back(b.linear_back(dx, y, head, stored_out_first=True))
    for back in reversed(backs):
        dx = back(dx)
    dx = embed_back(dx)
    b.embedding_grad("transformer.wte.weight", b.tokens, dx)
    b.embedding_grad("transformer.wpe.weight", b.position, dx)


def gpt2_block(b, x, layer):
    h, d = f"transformer.h.{layer}.", b.c["d"]
    attn, proj, fc, out = ((h + n + ".weight", h + n + ".bias") for n in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"))
    y1, norm1_back = b.layer_norm(x, h + "ln_1")
    qkv = b.linear(y1, *attn)
    o, attention_back = b.attention(qkv[:, :d], qkv[:, d : 2 * d], qkv[:, 2 * d :], 3 * layer + 1)
    x, drop1_back = b.residual(x, b.linear(o, *proj), 3 * layer + 2)
    y2, norm2_back = b.layer_norm(x, h + "ln_2")
    f = b.linear(y2, *fc)
    g, gelu_back = b.gelu(f)
    x, drop2_back = b.residual(x, b.linear(g, *out), 3 * layer + 3)

    def back(dx):
        df = gelu_back(b.linear_back(drop2_back(dx), g, *out))
        dx = norm2_back(b.linear_back(df, y2, *fc), onto=dx)
        dqkv = np.concatenate(attention_back(b.linear_back(drop1_back(dx), o, *proj)), axis=1)
        return norm1_back(b.linear_back(dqkv, y1, *attn), onto=dx)

    return x, back


def llama_shapes(c):
    d, ff = c["d"], c["ff"]
    head_dim = c.get("head_dim", d // c["heads"])
    q, kv = c["heads"] * head_dim, c.get("kv_heads", c["heads"]) * head_dim
    shapes = {"model.embed_tokens.weight": (c["vocab"], d), "model.norm.weight": (d,)}
    for layer in range(c["layers"]):
        h = f"model.layers.{layer}."
        shapes |= {h + "input_layernorm.weight": (d,), h + "post_attention_layernorm.weight": (d,)}
        for name, o, i in (("q", q, d), ("k", kv, d), ("v", kv, d), ("o", d, q)):
            shapes[h + f"self_attn.{name}_proj.weight"] = (o, i)
        for name, o, i in (("gate", ff, d), ("up", ff, d), ("down", d, ff)):
            shapes[h + f"mlp.{name}_proj.weight"] = (o, i)
    return shapes if c.get("tied", False) else shapes | {"lm_head.weight": (c["vocab"], d)}


def llama(b):
    """Losses and gradients of a micro-batch of the LLaMA family, left in b."""
    embedding = "model.embed_tokens.weight"
    head = embedding if b.c.get("tied", False) else "lm_head.weight"
    x, embed_back = b.embed(b.w[embedding][b.tokens])
    backs = []
    for layer in range(b.c["layers"]):
        x, back = llama_block(b, x, layer)
        backs.append(back)
    y, norm_back = b.rms_norm(x, "model.norm")
    dx = b.cross_entropy(b.linear(y, head, stored_out_first=True))
    dx = norm_back(b.linear_back(dx, y, head, stored_out_first=True))
    for back in reversed(backs):
        dx = back(dx)
    b.embedding_grad(embedding, b.tokens, embed_back(dx))


def llama_block(b, x, layer):
    h = f"model.layers.{layer}."
    name = {n: h + f"self_attn.{n}_proj.weight" for n in "qkvo"} | {n: h + f"mlp.{n}_proj.weight" for n in ("gate", "up", "down")}
    forward = lambda x, n: b.linear(x, name[n], stored_out_first=True)
    backward = lambda dy, x, n, onto=None: b.linear_back(dy, x, name[n], stored_out_first=True, onto=onto)
    y1, norm1_back = b.rms_norm(x, h + "input_layernorm")
    q, k = b.rotate(forward(y1, "q"), 1), b.rotate(forward(y1, "k"), 1)
    o, attention_back = b.attention(q, k, forward(y1, "v"), 3 * layer + 1)
    x, drop1_back = b.residual(x, forward(o, "o"), 3 * layer + 2)
    y2, norm2_back = b.rms_norm(x, h + "post_attention_layernorm")
    s, swiglu_back = b.swiglu(forward(y2, "gate"), forward(y2, "up"))
    x, drop2_back = b.residual(x, forward(s, "down"), 3 * layer + 3)

    def back(dx):
        dgate, dup = swiglu_back(backward(drop2_back(dx), s, "down"))
        dx = norm2_back(backward(dup, y2, "up", onto=backward(dgate, y2, "gate")), onto=dx)
        dq, dk, dv = attention_back(backward(drop1_back(dx), o, "o"))
        dy = backward(b.rotate(dk, -1), y1, "k", onto=backward(b.rotate(dq, -1), y1, "q"))
        return norm1_back(backward(dv, y1, "v", onto=dy), onto=dx)

    return x, back


def mlp_shapes(c):
    wide, ff = c["context"] * c["d"], c["ff"]
    shapes = {"embed.weight": (c["vocab"], c["d"]), "head.weight": (c["vocab"], ff), "head.bias": (c["vocab"],)}
    for layer in range(c["layers"]):
        shapes |= {f"hidden.{layer}.weight": (ff, ff if layer else wide), f"hidden.{layer}.bias": (ff,)}
    return shapes


def mlp(b):
    """Losses and gradients of a micro-batch of the MLP family, left in b: a row is a sequence, its target that of its last token."""
    targets = b.targets.reshape(b.sequences, b.length)
    if (targets[:, :-1] >= 0).any():
        raise ValueError("only the last token of a row has a target")
    b.targets = targets[:, -1]
    x, embed_back = b.embed(b.w["embed.weight"][b.tokens])
    x, backs = x.reshape(b.sequences, -1), []
    for layer in range(b.c["layers"]):
        x, back = mlp_layer(b, x, layer)
        backs.append(back)
    dl = b.cross_entropy(b.linear(x, "head.weight", "head.bias", stored_out_first=True))
    dx = b.linear_back(dl, x, "head.weight", "head.bias", stored_out_first=True)
    for back in reversed(backs):
        dx = back(dx)
    b.embedding_grad("embed.weight", b.tokens, embed_back(dx.reshape(len(b.tokens), -1)))


def mlp_layer(b, x, layer):
    names = f"hidden.{layer}.weight", f"hidden.{layer}.bias"
    a, gelu_back = b.gelu(b.linear(x, *names, stored_out_first=True))
    drop = b.mask(3 * layer + 3, "resid", a.shape)

    def back(dx):
        da = gelu_back(b.store(drop(dx)) if drop else dx)
        return b.linear_back(da, x, *names, stored_out_first=True)

    return (b.store(drop(a)) if drop else a), back


FAMILIES = {"gpt2": (gpt2_shapes, gpt2), "llama": (llama_shapes, llama), "mlp": (mlp_shapes, mlp)}
