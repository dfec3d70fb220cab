"""Computes whole training steps of a numeric profile again and compares every bit of what a golden run says.

  python check_profile.py [--steps N] [--grads FILE] [--out STATE] RUN...

RUN is a path without its ending: RUN-step1.json, RUN-step2.json … are the configurations of consecutive steps, the first of
which starts from the initial state, and RUN-expected.txt has a line for that state and one for each step. Needs NumPy only;
written from docs/numerics.md, it shares nothing with Bitwitness but that page. A few seconds a step of the golden runs.

  --steps N     no more than the first N steps
  --grads FILE  what `bitwitness profile step … --grads FILE` wrote for the last step computed: names the tensors that differ
  --out STATE   write the last state computed, as safetensors
"""

import argparse
import hashlib
import json
import math
import os
import sys

import numpy as np

import check_update
from profile_math import F, SEGMENT, NAN, fma, global_sum, normal, sum128, sumsq128
from profile_model import FAMILIES, MicroBatch

PROFILES = ("F32-C512 v1", "BF16-C512 v1")


def names_of(config):
    return config.get("manifest") or sorted(FAMILIES[config["family"]][0](config), key=str.encode)


def moments(config):
    return ("m.",) if config.get("optimizer", "adamw") == "sgd" else ("m.", "v.")


def initial_state(config):
    shapes, state = FAMILIES[config["family"]][0](config), {}
    for index, name in enumerate(names_of(config)):
        shape = shapes[name]
        if len(shape) == 1:
            state[name] = np.full(shape, 0 if name.endswith(".bias") else 1, F)
        else:
            projections = ("attn.c_proj", "mlp.c_proj", "o_proj", "down_proj")
            residual = any(p in name for p in projections) or (config["family"] == "mlp" and name != "embed.weight")
            std = F(config.get("init_proj_std" if residual else "init_std", 0.02))
            state[name] = (normal(config["seed"], index, math.prod(shape)) * std).reshape(shape)
        for moment in moments(config):
            state[moment + name] = np.zeros(shape, F)
    return state


def state_hash(state):
    sha = hashlib.sha256()
    for name in sorted(state, key=str.encode):
        sha.update(canonical(state[name]).astype("<f4").tobytes())
    return sha.hexdigest()


def canonical(x):
    return np.where(np.isnan(x), NAN, x)


# Combining workers


def ordered(tree, grads):
    if isinstance(tree, int):
        return grads[tree]
    left, right = (ordered(t, grads) for t in tree)
    return {n: left[n] + right[n] for n in left}


def binary_blocks(low, n):
    if n == 1:
        return low
    p = 1 << ((n - 1).bit_length() - 1)
    return [binary_blocks(low, p), binary_blocks(low + p, n - p)]


def tree_of(config):
    tree, workers = config.get("tree", "ascending"), len(config["workers"])
    if tree == "binary-blocks":
        return binary_blocks(0, workers)
    if tree == "ascending":
        tree = 0
        for w in range(1, workers):
            tree = [tree, w]
    return json.loads(tree) if isinstance(tree, str) else tree


def exact_segment(rows):
    """One segment of all workers, [workers, elements]."""
    if not np.isfinite(rows).all():
        return np.full(rows.shape[1], NAN)
    largest = float(np.abs(rows).max())
    if largest == 0:
        return np.zeros(rows.shape[1], F)
    exponent = math.frexp(largest)[1]
    shift = 62 - (len(rows) - 1).bit_length() - exponent
    total = np.rint(np.ldexp(rows.astype(np.float64), shift)).astype(np.int64).sum(axis=0)
    return np.ldexp(total.astype(F).astype(np.float64), -shift).astype(F)


def exact(grads):
    result = {}
    for name, first in grads[0].items():
        rows = np.stack([g[name].reshape(-1) for g in grads])
        segments = [exact_segment(rows[:, i : i + SEGMENT]) for i in range(0, rows.shape[1], SEGMENT)]
        result[name] = np.concatenate(segments).reshape(first.shape)
    return result


def combine(config, names, grads):
    rule, divisor = config["reduction"], F(1.0 / len(grads))
    if rule not in ("ORDERED", "EXACT"):
        return check_update.combine(config, names, {f"w{w}.{n}": g[n] for w, g in enumerate(grads) for n in names})
    combined = exact(grads) if rule == "EXACT" else ordered(tree_of(config), grads)
    return {n: g * divisor for n, g in combined.items()} if config.get("average") == "workers" else combined


# A step


def adamw(config, names, state, g, clip):
    def power(base, t):
        r = 1.0
        while t:
            r = r * base if t & 1 else r
            base, t = base * base, t >> 1
        return r

    b1, b2, t = config["beta1"], config["beta2"], config["step"]
    step, rc = F(config["lr"] / (1 - power(b1, t))), F(1 / math.sqrt(1 - power(b2, t)))
    o1, o2, decay, eps = F(1 - b1), F(1 - b2), F(1 - config["lr"] * config["weight_decay"]), F(config["eps"])
    b1, b2, after = F(b1), F(b2), {}
    for n in names:
        d = g[n] * clip
        m = fma(b1, state["m." + n], o1 * d)
        v = fma(b2, state["v." + n], o2 * (d * d))
        den = np.sqrt(v) * rc + eps
        weight = state[n] * (decay if d.ndim >= 2 else F(1))
        after |= {n: fma(-step, m / den, weight), "m." + n: m, "v." + n: v}
    return after


def worker_gradients(config, names, state, worker, count):
    """The worker's accumulated gradients, and the chain of its losses."""
    weights, losses, total = {n: state[n] for n in names}, [], None
    for number in range(len(config["workers"][worker])):
        batch = MicroBatch(config, weights, worker, number, count)
        FAMILIES[config["family"]][1](batch)
        losses.append(batch.losses)
        total = {n: batch.grads[n] if total is None else total[n] + batch.grads[n] for n in names}
    return total, global_sum(sum128, losses)


def step(config, state):
    """The state after the step, the line of results that a golden run has for it, and all gradients."""
    names, by_worker = names_of(config), config.get("average") == "workers"
    counts = [sum(int((np.array(b["targets"]) >= 0).sum()) for b in worker) for worker in config["workers"]]
    every = [counts[w] if by_worker else sum(counts) for w in range(len(counts))]
    grads, losses = zip(*(worker_gradients(config, names, state, w, every[w]) for w in range(len(counts))))
    loss = 0.0
    for w, chain in enumerate(losses):
        loss = loss + (chain / float(counts[w]) if by_worker else chain)
    loss = F(loss / float(len(counts) if by_worker else sum(counts)))
    g = combine(config, names, grads)
    norm = math.sqrt(global_sum(sumsq128, [g[n] for n in names]))
    clip = F(min(1.0, (config.get("max_norm") or math.inf) / (norm + 1e-6)))
    if config.get("optimizer", "adamw") == "sgd":
        state, _ = check_update.sgd(config, names, state, g)
    else:
        state = adamw(config, names, state, g, clip)
    bits = lambda x: f"{x.view(np.uint32 if x.dtype == F else np.uint64):0{2 * x.itemsize}x}"
    result = {"step": config["step"], "loss_bits": bits(loss), "norm_bits": bits(np.float64(norm)), "clip_bits": bits(clip)}
    result |= {"count": sum(counts), "state_sha256": state_hash(state)}
    grads = {f"w{w}.{n}": x for w, worker in enumerate(grads) for n, x in worker.items()} | {"g." + n: x for n, x in g.items()}
    return state, result, grads


# Comparing


def compare(what, expected, found):
    """Prints one line; says whether all that was found is what was expected."""
    wrong = [k for k in found if expected.get(k) != found[k]]
    print(f"{what}: {found['state_sha256']} " + ("ok" if not wrong else "DIFFERENT"))
    for k in wrong:
        print(f"  {k}: expected {expected.get(k)}, computed {found[k]}")
    return not wrong


def same_gradients(file, computed):
    expected = check_update.read_safetensors(file)
    wrong = [n for n in computed if n not in expected or canonical(expected[n]).tobytes() != canonical(computed[n]).tobytes()]
    wrong += [n for n in expected if n not in computed]
    print(f"{file}: {len(computed)} tensors, {len(wrong)} differ")
    for n in wrong:
        both = n in computed and n in expected
        print(f"  {n}: " + (f"{np.abs(expected[n].astype(float) - computed[n]).max():.3e} apart" if both else "only one has it"))
    return not wrong


def write_safetensors(file, state):
    header, data = {}, b""
    for n in sorted(state, key=str.encode):
        header[n] = {"dtype": "F32", "shape": state[n].shape, "data_offsets": [len(data), len(data) + state[n].nbytes]}
        data += state[n].astype("<f4").tobytes()
    text = json.dumps(header).encode()
    with open(file, "wb") as out:
        out.write(len(text).to_bytes(8, "little") + text + data)


def run(path, options):
    with open(path + "-expected.txt") as lines:
        init, *expected = [json.loads(line.removeprefix("init ")) for line in lines if line.strip()]
    state, grads, same = None, {}, True
    for number, line in enumerate(expected[: options.steps], 1):
        with open(f"{path}-step{number}.json") as text:
            config = json.load(text)
        if config["profile"] not in PROFILES:
            sys.exit(f"{path}: profile {config['profile']} is not one of {', '.join(PROFILES)}")
        if "rope_table" in config:
            sys.exit(f"{path}: rope_table names a file; only tables that are computed are known here, so leave it out")
        if state is None:
            state = initial_state(config)
            found = {"tensors": len(state), "state_sha256": state_hash(state)}
            same &= compare(f"{os.path.basename(path)} state 0", init, found)
        state, result, grads = step(config, state)
        same &= compare(f"{os.path.basename(path)} state {number}", line, result)
    if options.grads:
        same &= same_gradients(options.grads, grads)
    if options.out:
        write_safetensors(options.out, state)
    return same


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--grads")
    parser.add_argument("--out")
    options = parser.parse_args()
    same = all([run(path, options) for path in options.runs])
    print("ALL BITS AGREE" if same else "DIFFERENT")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
