"""Compares the gradients that `bitwitness profile step --grads` wrote with a float64 PyTorch model.

  python check_gradients.py CONFIG STATE GRADS [CONFIG STATE GRADS …]

CONFIG must have dropout 0 (PyTorch's masks are others). The error of a tensor is the norm of the difference relative to
the norm of PyTorch's gradient. GPT-2's key bias has no gradient in exact arithmetic (softmax does not change when all
scores of a row move together), so ours is pure rounding noise there and its part of c_attn.bias is left out.
"""

import json
import sys

import torch

from models import loss, parameters, read_safetensors

LIMIT = 2e-5


def main(config_file, state_file, grads_file):
    config = json.load(open(config_file))
    if any(config.get(key, 0) for key in ("dropout", "embd_pdrop", "attn_pdrop", "resid_pdrop")):
        sys.exit("the configuration has dropout: set it to 0 to compare with PyTorch")
    p = parameters(read_safetensors(state_file), torch.float64)
    ours = read_safetensors(grads_file)
    batches = [b for worker in config["workers"] for b in worker]
    count = sum(t != -1 for b in batches for row in b["targets"] for t in row)
    total = 0.0
    for b in batches:
        value = loss(config, p, b["ids"], b["targets"], count)
        value.backward()
        total += value.item()
    print(f"loss {total:.9f}")
    worst = 0.0
    for name, tensor in sorted(p.items()):
        expected = tensor.grad
        computed = torch.tensor(ours["g." + name], dtype=torch.float64)
        if name.endswith("attn.c_attn.bias"):
            d = config["d"]
            expected, computed = (torch.cat((z[:d], z[2 * d :])) for z in (expected, computed))
        error = ((computed - expected).norm() / expected.norm().clamp_min(1e-30)).item()
        worst = max(worst, error)
        print(f"{error:9.2e}  {name}")
    print(f"worst relative error {worst:.2e}, limit {LIMIT:.0e}: {'ok' if worst <= LIMIT else 'TOO LARGE'}")
    return 0 if worst <= LIMIT else 1


if __name__ == "__main__":
    files = sys.argv[1:]
    if not files or len(files) % 3:
        sys.exit(__doc__)
    sys.exit(max(main(*files[i : i + 3]) for i in range(0, len(files), 3)))
