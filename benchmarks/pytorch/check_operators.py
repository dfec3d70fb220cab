"""Compares the gradient of every operator with PyTorch's in float64.

  python check_operators.py PROBLEMS

PROBLEMS holds one JSON document a line, as GradientTest of deterministic-kernels writes them: an operator, its inputs, the
weights of its outputs and our gradients of Σ weight·output. The error is the norm of the difference relative to PyTorch's.
"""

import json
import math
import sys

import torch
import torch.nn.functional as F

LIMIT = 2e-5


def forward(operator, s, x):
    """The operator as PyTorch has it; x are its inputs by name, flat."""
    return globals()["op_" + operator](s, **x)


def op_embedding(s, tokens, positions):
    width, ids = s["width"], torch.tensor(s["ids"])
    place = torch.arange(len(ids)) % s["length"]
    out = F.embedding(ids, tokens.reshape(-1, width)) + F.embedding(place, positions.reshape(-1, width))
    return out.reshape(-1) * mask(s)


def op_linear(s, x, w, b):
    return F.linear(x.reshape(-1, s["inputs"]), w.reshape(s["inputs"], -1).T, b)


def op_layerNorm(s, x, gain, bias):
    return F.layer_norm(x.reshape(-1, len(gain)), (len(gain),), gain, bias, s["eps"])


def op_rmsNorm(s, x, gain):
    return F.rms_norm(x.reshape(-1, len(gain)), (len(gain),), gain, s["eps"])


def op_rope(s, x):
    x = x.reshape(-1, s["length"], s["heads"], 2, s["half"])
    angle = torch.tensor(s["angles"], dtype=torch.float64).reshape(1, s["length"], 1, s["half"])
    turned = torch.view_as_complex(torch.stack((x[..., 0, :], x[..., 1, :]), dim=-1)) * torch.polar(
        torch.ones_like(angle), angle
    )
    return torch.stack((turned.real, turned.imag), dim=-2)


def op_attention(s, q, k, v):
    b, t, h, kv, dim = (s[key] for key in ("sequences", "length", "heads", "kv_heads", "dim"))
    q = q.reshape(b, t, h, dim).transpose(1, 2)
    k, v = (z.reshape(b, t, kv, dim).transpose(1, 2).repeat_interleave(h // kv, dim=1) for z in (k, v))
    later = torch.ones(t, t, dtype=torch.bool).triu(1)
    scores = (q @ k.transpose(2, 3) / math.sqrt(dim)).masked_fill(later, float("-inf"))
    return ((scores.softmax(dim=3) * mask(s).reshape(b, h, t, t)) @ v).transpose(1, 2)


def op_gelu(s, x):
    return F.gelu(x, approximate="tanh")


def op_swiGlu(s, gate, up):
    return F.silu(gate) * up


def op_dropoutAdd(s, x, branch):
    return x + branch * mask(s)


def op_crossEntropy(s, logits):
    targets = torch.tensor(s["targets"])
    return F.cross_entropy(logits.reshape(len(targets), -1), targets, ignore_index=-1, reduction="none") * s["factor"]


def mask(s):
    return torch.tensor(s["mask"], dtype=torch.float64)


def check(problem):
    """The largest error of one operator's gradients."""
    x = {
        name: torch.tensor(values, dtype=torch.float64, requires_grad=True)
        for name, values in problem["inputs"].items()
    }
    weights = torch.tensor(problem["weights"], dtype=torch.float64)
    (forward(problem["operator"], problem["settings"], x).reshape(-1) * weights).sum().backward()
    worst = 0.0
    for name, tensor in x.items():
        ours = torch.tensor(problem["gradients"][name], dtype=torch.float64)
        error = ((ours - tensor.grad).norm() / tensor.grad.norm().clamp_min(1e-30)).item()
        worst = max(worst, error if math.isfinite(error) else math.inf)
        print(f"{error:9.2e}  {problem['operator']}.{name}")
    return worst


def main(file):
    worst = max(check(json.loads(line)) for line in open(file))
    print(f"worst relative error {worst:.2e}, limit {LIMIT:.0e}: {'ok' if worst <= LIMIT else 'TOO LARGE'}")
    return 0 if worst <= LIMIT else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
