"""Computes the reduction and the update of a step again, from the workers' gradients, and compares every bit.

  python check_update.py CONFIG IN OUT GRADS
  python check_update.py --sgd

IN and OUT are the states before and after `bitwitness profile step CONFIG IN OUT --grads GRADS`. Needs NumPy only; written
from docs/numerics.md. It knows SGD with momentum, and the reductions MEDIAN, TRIMMED_MEAN, KRUM, MULTI_KRUM and
GEOMETRIC_MEDIAN (others are taken as they are). Where PyTorch is installed, torch.optim.SGD has to come to the same
weights but for rounding; that is a check of values, not of bits.

--sgd asks whether the update defined here, which the bits are compared with, is the algorithm of torch.optim.SGD: six updates
from random weights and gradients with every option, beside PyTorch in float64, whose first update starts its own buffer.
"""

import json
import math
import re
import sys

import numpy as np

from profile_math import F, fma, global_sum, sumsq128


def read_safetensors(path):
    data = open(path, "rb").read()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    out = {}
    for name, t in header.items():
        if name != "__metadata__":
            a, b = t["data_offsets"]
            out[name] = np.frombuffer(data[8 + size + a : 8 + size + b], "<f4").reshape(t["shape"])
    return out


def squares(tensors):
    return global_sum(sumsq128, tensors)


def trimmed(values, trim):
    """Values by the order of their bits, as sign and magnitude: -0 before +0."""
    bits = np.stack([v.view(np.int32) for v in values])
    keys = np.sort(bits ^ ((bits >> 31) & 0x7FFFFFFF), axis=0)
    values = (keys ^ ((keys >> 31) & 0x7FFFFFFF)).view(F)[trim : len(keys) - trim]
    total = values[0]
    for v in values[1:]:
        total = total + v
    return total * F(1.0 / len(values))


def krum(names, workers, liars, selected):
    count = len(workers)
    d = [[squares([workers[a][n] - workers[b][n] for n in names]) if a != b else 0.0 for b in range(count)] for a in range(count)]
    scores = []
    for a in range(count):
        chain = 0.0
        for value in sorted(d[a][b] for b in range(count) if b != a)[: count - liars - 1]:
            chain += value
        scores.append(chain)
    chosen = sorted(sorted(range(count), key=lambda w: (scores[w], w))[:selected])
    out = {n: workers[chosen[0]][n] for n in names}
    for w in chosen[1:]:
        out = {n: out[n] + workers[w][n] for n in names}
    return {n: out[n] * F(1.0 / selected) for n in names} if selected > 1 else out


def geometric_median(names, workers, iterations):
    z = {n: np.zeros_like(workers[0][n]) for n in names}
    for _ in range(iterations):
        inverse = [1.0 / max(math.sqrt(squares([w[n] - z[n] for n in names])), 0.1) for w in workers]
        total = 0.0
        for i in inverse:
            total += i
        weights = [F(i / total) for i in inverse]
        z = {n: weights[0] * workers[0][n] for n in names}
        for weight, w in zip(weights[1:], workers[1:]):
            z = {n: fma(np.full_like(w[n], weight), w[n], z[n]) for n in names}
    return z


def combine(config, names, grads):
    workers = [{n: grads[f"w{w}.{n}"] for n in names} for w in range(len(config["workers"]))]
    rule = re.fullmatch(r"(\w+)(?:\(([\d,]+)\))?", config["reduction"])
    args = [int(a) for a in rule[2].split(",")] if rule[2] else []
    match rule[1]:
        case "MEDIAN":
            return {n: trimmed([w[n] for w in workers], (len(workers) - 1) // 2) for n in names}
        case "TRIMMED_MEAN":
            return {n: trimmed([w[n] for w in workers], args[0]) for n in names}
        case "KRUM":
            return krum(names, workers, args[0], 1)
        case "MULTI_KRUM":
            return krum(names, workers, *args)
        case "GEOMETRIC_MEDIAN":
            return geometric_median(names, workers, *args)
    return {n: grads["g." + n] for n in names}


def sgd(config, names, before, g):
    norm = math.sqrt(squares([g[n] for n in names]))
    clip = F(min(1.0, (config.get("max_norm") or math.inf) / (norm + 1e-6)))
    mu, wd, step = F(config["momentum"]), F(config["weight_decay"]), F(config["lr"])
    keep = F(1) if config["step"] == 1 else F(1 - config.get("dampening", 0))
    after = {}
    for n in names:
        w, d = before[n], g[n] * clip
        if w.ndim >= 2:
            d = fma(wd, w, d)
        m = fma(mu, before["m." + n], keep * d)
        along = fma(mu, m, d) if config.get("nesterov") else m
        after["m." + n] = m
        after[n] = fma(-step, along, w)
    return after, clip


def torch_values(config, names, before, g, clip, after):
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed: values are not compared with torch.optim.SGD")
        return True
    worst = 0.0
    for n in names:
        p = torch.nn.Parameter(torch.tensor(before[n]).double())
        options = dict(momentum=config["momentum"], nesterov=bool(config.get("nesterov")))
        options["dampening"] = 0 if config["step"] == 1 else config.get("dampening", 0)
        options["weight_decay"] = config["weight_decay"] if before[n].ndim >= 2 else 0
        optimizer = torch.optim.SGD([p], lr=config["lr"], **options)
        optimizer.state[p]["momentum_buffer"] = torch.tensor(before["m." + n]).double()
        p.grad = (torch.tensor(g[n]) * float(clip)).double()
        optimizer.step()
        worst = max(worst, (p.detach() - torch.tensor(after[n]).double()).abs().max().item())
    print(f"largest difference of a weight from torch.optim.SGD: {worst:.2e}")
    return worst < 1e-6


def same_algorithm(options, rng, updates=6):
    """Our update and torch.optim.SGD over several updates; says how far apart they end, relative to the largest value."""
    import torch

    shapes = {"matrix": (7, 5), "vector": (11,)}
    state = {n: rng.normal(size=s).astype(F) for n, s in shapes.items()}
    theirs = {n: torch.nn.Parameter(torch.tensor(x).double()) for n, x in state.items()}
    state |= {"m." + n: np.zeros(s, F) for n, s in shapes.items()}
    decay = {"matrix": options["weight_decay"], "vector": 0}
    groups = [dict(params=[theirs[n]], weight_decay=decay[n]) for n in shapes]
    optimizer = torch.optim.SGD(groups, lr=options["lr"], **{k: options[k] for k in ("momentum", "dampening", "nesterov")})
    for step in range(1, updates + 1):
        g = {n: rng.normal(size=s).astype(F) for n, s in shapes.items()}
        state, _ = sgd(options | {"step": step}, shapes, state, g)
        for n in shapes:
            theirs[n].grad = torch.tensor(g[n]).double()
        optimizer.step()
    pairs = [(state[n], theirs[n].detach().numpy()) for n in shapes]
    if options["momentum"]:
        pairs += [(state["m." + n], optimizer.state[theirs[n]]["momentum_buffer"].numpy()) for n in shapes]
    return max(np.abs(ours - value).max() / np.abs(value).max() for ours, value in pairs)


def same_algorithms():
    rng, failed = np.random.default_rng(20261130), False
    for momentum, dampening, nesterov in ((0, 0, False), (0.9, 0, False), (0.9, 0.3, False), (0.5, 1, False), (0.9, 0, True)):
        for weight_decay in (0, 0.1):
            options = dict(lr=0.05, momentum=momentum, dampening=dampening, nesterov=nesterov, weight_decay=weight_decay)
            apart = same_algorithm(options, rng)
            failed |= not apart < 1e-6
            print(f"{options}: {apart:.1e} from torch.optim.SGD" + ("" if apart < 1e-6 else " DIFFERENT"))
    print("SAME ALGORITHM" if not failed else "DIFFERENT")
    return 1 if failed else 0


def different(what, expected, computed):
    wrong = [n for n in expected if not np.array_equal(expected[n].view(np.int32), computed[n].view(np.int32))]
    print(f"{what}: {len(expected)} tensors, {len(wrong)} differ" + (f", first {wrong[0]}" if wrong else ""))
    return bool(wrong)


def main(config_file, in_file, out_file, grads_file):
    config = json.load(open(config_file))
    before, after, grads = (read_safetensors(f) for f in (in_file, out_file, grads_file))
    names = sorted((n for n in before if not n.startswith(("m.", "v."))), key=str.encode)
    names = config.get("manifest", names)
    g = combine(config, names, grads)
    failed = different("combined gradients", g, {n: grads["g." + n] for n in names})
    if config.get("optimizer") == "sgd":
        expected, clip = sgd(config, names, before, g)
        failed |= different("weights and momenta", expected, after)
        failed |= not torch_values(config, names, before, g, clip, after)
    print("ALL BITS AGREE" if not failed else "DIFFERENT")
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--sgd"]:
        sys.exit(same_algorithms())
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
