"""GPT-2 and LLaMA as plain functions over a dictionary of parameters, in whatever precision the parameters have."""

import json
import math
import struct

import numpy as np
import torch
import torch.nn.functional as F


def read_safetensors(path):
    """All F32 tensors of a safetensors file, by name."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    tensors = {}
    for name, info in header.items():
        if name == "__metadata__":
            continue
        assert info["dtype"] == "F32", name
        begin, end = info["data_offsets"]
        tensors[name] = np.frombuffer(data[begin:end], dtype="<f4").reshape(info["shape"]).copy()
    return tensors


def parameters(state, dtype):
    """The parameters of a state file, ready for gradients; moments are left out."""
    return {
        name: torch.tensor(array, dtype=dtype, requires_grad=True)
        for name, array in state.items()
        if not name.startswith(("m.", "v."))
    }


def logits(config, p, ids):
    return gpt2(config, p, ids) if config["family"] == "gpt2" else llama(config, p, ids)


def loss(config, p, ids, targets, count):
    """Sum of token losses over one micro-batch divided by the targets of the whole step."""
    out = logits(config, p, torch.tensor(ids))
    flat = torch.tensor(targets).reshape(-1)
    return F.cross_entropy(out.reshape(len(flat), -1), flat, ignore_index=-1, reduction="sum") / count


def gpt2(config, p, ids):
    d, heads = config["d"], config["heads"]
    b, t = ids.shape
    x = p["transformer.wte.weight"][ids] + p["transformer.wpe.weight"][:t]
    for layer in range(config["layers"]):
        h = f"transformer.h.{layer}."
        y = F.layer_norm(x, (d,), p[h + "ln_1.weight"], p[h + "ln_1.bias"], config["norm_eps"])
        qkv = y @ p[h + "attn.c_attn.weight"] + p[h + "attn.c_attn.bias"]
        q, k, v = (z.reshape(b, t, heads, d // heads).transpose(1, 2) for z in qkv.split(d, dim=2))
        y = attention(q, k, v).transpose(1, 2).reshape(b, t, d)
        x = x + y @ p[h + "attn.c_proj.weight"] + p[h + "attn.c_proj.bias"]
        y = F.layer_norm(x, (d,), p[h + "ln_2.weight"], p[h + "ln_2.bias"], config["norm_eps"])
        y = F.gelu(y @ p[h + "mlp.c_fc.weight"] + p[h + "mlp.c_fc.bias"], approximate="tanh")
        x = x + y @ p[h + "mlp.c_proj.weight"] + p[h + "mlp.c_proj.bias"]
    x = F.layer_norm(x, (d,), p["transformer.ln_f.weight"], p["transformer.ln_f.bias"], config["norm_eps"])
    return x @ (p["transformer.wte.weight"] if config.get("tied", True) else p["lm_head.weight"]).T


def llama(config, p, ids):
    heads = config["heads"]
    kv_heads = config.get("kv_heads", heads)
    dim = config.get("head_dim", config["d"] // heads)
    b, t = ids.shape
    x = p["model.embed_tokens.weight"][ids]
    for layer in range(config["layers"]):
        h = f"model.layers.{layer}."
        y = rms_norm(x, p[h + "input_layernorm.weight"], config["norm_eps"])
        q = (y @ p[h + "self_attn.q_proj.weight"].T).reshape(b, t, heads, dim).transpose(1, 2)
        k = (y @ p[h + "self_attn.k_proj.weight"].T).reshape(b, t, kv_heads, dim).transpose(1, 2)
        v = (y @ p[h + "self_attn.v_proj.weight"].T).reshape(b, t, kv_heads, dim).transpose(1, 2)
        q, k = rotate(q, config), rotate(k, config)
        k, v = (z.repeat_interleave(heads // kv_heads, dim=1) for z in (k, v))
        y = attention(q, k, v).transpose(1, 2).reshape(b, t, heads * dim)
        x = x + y @ p[h + "self_attn.o_proj.weight"].T
        y = rms_norm(x, p[h + "post_attention_layernorm.weight"], config["norm_eps"])
        y = F.silu(y @ p[h + "mlp.gate_proj.weight"].T) * (y @ p[h + "mlp.up_proj.weight"].T)
        x = x + y @ p[h + "mlp.down_proj.weight"].T
    x = rms_norm(x, p["model.norm.weight"], config["norm_eps"])
    return x @ (p["model.embed_tokens.weight"] if config.get("tied", False) else p["lm_head.weight"]).T


def attention(q, k, v):
    t = q.shape[2]
    scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[3])
    mask = torch.ones(t, t, dtype=torch.bool).triu(1)
    return scores.masked_fill(mask, float("-inf")).softmax(dim=3) @ v


def rms_norm(x, gain, eps):
    return x * torch.rsqrt((x * x).mean(dim=2, keepdim=True) + eps) * gain


def rotate(x, config):
    dim, t = x.shape[3], x.shape[2]
    frequency = config.get("rope_theta", 10000.0) ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    angle = torch.arange(t, dtype=torch.float64)[:, None] * frequency
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    x0, x1 = x[..., : dim // 2], x[..., dim // 2 :]
    return torch.cat((x0 * cos - x1 * sin, x1 * cos + x0 * sin), dim=3)
