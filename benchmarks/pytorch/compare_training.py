"""Trains the same small model with `bitwitness profile step` and with PyTorch float32: same initial weights, same batches,
same schedule, dropout 0. Writes OUT/loss-curve.csv and .svg for the GPT-2 family, OUT/loss-curve-llama.csv and .svg for the
LLaMA family, and fails when a loss differs by more than 1e-3 relative.

  python compare_training.py OUT [--family gpt2|llama|both] [--steps 200] [--lr 1e-3] [--text FILE…]
"""

import argparse
import csv
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import zipfile

import torch

from models import loss, parameters, read_safetensors

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What the demo trains on; the build fetches it.
CORPUS = ROOT / "datasets/target/corpus/commons-lang3-3.20.0-sources.jar"
CONTEXT = 128
SEQUENCES = 8
COMMON = {
    "profile": "F32-C512 v1", "vocab": 257, "context": CONTEXT, "d": 128, "layers": 4, "heads": 4, "seed": 1, "dropout": 0,
    "init_std": 0.02, "init_proj_std": 0.007071067811865475, "beta1": 0.9, "beta2": 0.95, "eps": 1e-8, "weight_decay": 0.1,
    "max_norm": 1.0, "tree": "ascending", "average": "tokens",
}
MODELS = {
    "gpt2": dict(COMMON, family="gpt2", ff=512, norm_eps=1e-5, reduction="ORDERED"),
    "llama": dict(
        COMMON, family="llama", kv_heads=2, ff=344, norm_eps=1e-6, rope_theta=10000.0, tied=False, reduction="EXACT"
    ),
}
FILES = {"gpt2": "loss-curve", "llama": "loss-curve-llama"}


def learning_rate(step, steps, base, warmup=10):
    """A linear warm-up, then a half cosine down to a tenth."""
    least = base / 10
    if step < warmup:
        return base * ((step + 1) / warmup)
    return least + (0.5 * (base - least)) * (1 + math.cos(math.pi * ((step - warmup) / (steps - warmup))))


def read_text(file):
    """The bytes of a file; of a jar, those of its Java sources in the order of their names."""
    if file.suffix != ".jar":
        return file.read_bytes()
    with zipfile.ZipFile(file) as jar:
        return b"".join(jar.read(name) for name in sorted(jar.namelist()) if name.endswith(".java"))


def batches(text, steps):
    """Per step two workers, each one micro-batch of SEQUENCES/2 windows drawn from the text's bytes."""
    draw = random.Random(20260101)
    for _ in range(steps):
        workers = []
        for _ in range(2):
            starts = [draw.randrange(len(text) - CONTEXT - 1) for _ in range(SEQUENCES // 2)]
            workers.append([{
                "ids": [list(text[s : s + CONTEXT]) for s in starts],
                "targets": [list(text[s + 1 : s + CONTEXT + 1]) for s in starts],
            }])
        yield workers


def ours(configs, folder):
    state = folder / "state0.safetensors"
    losses = []
    with Commands() as bitwitness:
        bitwitness.run("profile", "init", configs[0], state)
        for t, config in enumerate(configs, 1):
            following = folder / f"state{t}.safetensors"
            answer = bitwitness.run("profile", "step", config, state, following, "--json")
            losses.append(float(json.loads(answer)["loss"]))
            if t > 1:
                state.unlink()
            state = following
    return losses


class Commands:
    """`bitwitness` commands, all in one JVM: starting one for each step would take most of the time."""

    def __enter__(self):
        subprocess.run([ROOT / "bitwitness", "--version"], check=True, stdout=subprocess.DEVNULL)  # builds if need be
        built = ROOT / "target/launcher"
        jdk = (built / "stamp").read_text().splitlines()[1]
        flags = re.search("<bitwitness.jvm.flags>(.*)</bitwitness.jvm.flags>", (ROOT / "pom.xml").read_text())[1].split()
        command = [f"{jdk}/bin/java", *flags, "-cp", (built / "classpath").read_text().strip()]
        command.append(str(pathlib.Path(__file__).with_name("ProfileSteps.java")))
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def run(self, *arguments):
        """Runs one command and returns what it printed."""
        self.process.stdin.write("\t".join(map(str, arguments)) + "\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line == "done\n":
                return "".join(lines)
            lines.append(line)
        raise SystemExit(f"failed: bitwitness {' '.join(map(str, arguments))}")

    def __exit__(self, *exception):
        self.process.stdin.close()
        self.process.wait()


def pytorch(configs, state_file):
    p = parameters(read_safetensors(state_file), torch.float32)
    first = json.load(open(configs[0]))
    groups = [
        {"params": [w for w in p.values() if w.dim() >= 2], "weight_decay": first["weight_decay"]},
        {"params": [w for w in p.values() if w.dim() < 2], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, betas=(first["beta1"], first["beta2"]), eps=first["eps"])
    losses = []
    for file in configs:
        config = json.load(open(file))
        for group in optimizer.param_groups:
            group["lr"] = config["lr"]
        optimizer.zero_grad()
        parts = [b for worker in config["workers"] for b in worker]
        count = sum(len(row) for b in parts for row in b["targets"])
        total = 0.0
        for b in parts:
            value = loss(config, p, b["ids"], b["targets"], count)
            value.backward()
            total += value.item()
        torch.nn.utils.clip_grad_norm_(p.values(), config["max_norm"])
        optimizer.step()
        losses.append(total)
    return losses


def draw(rows, path):
    """Both curves as a small SVG; ours thick and pale, PyTorch's thin and dark on top."""
    width, height, left, bottom = 640, 320, 50, 30
    top = max(max(r[1], r[2]) for r in rows)
    low = min(min(r[1], r[2]) for r in rows)

    def point(step, value):
        x = left + (width - left - 10) * step / max(1, len(rows) - 1)
        y = 10 + (height - bottom - 10) * (top - value) / (top - low)
        return f"{x:.1f},{y:.1f}"

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">']
    lines.append('<rect width="100%" height="100%" fill="white"/>')
    for k in range(5):
        value = low + (top - low) * k / 4
        y = point(0, value).split(",")[1]
        lines.append(f'<line x1="{left}" x2="{width - 10}" y1="{y}" y2="{y}" stroke="#ddd"/><text x="8" y="{y}">{value:.2f}</text>')
    for column, colour, stroke in ((1, "#f4a259", 6), (2, "#1b3a4b", 1.5)):
        points = " ".join(point(r[0], r[column]) for r in rows)
        lines.append(f'<polyline fill="none" stroke="{colour}" stroke-width="{stroke}" points="{points}"/>')
    lines.append(f'<text x="{width - 260}" y="24" fill="#c06a1b">Bitwitness (wide)</text>')
    lines.append(f'<text x="{width - 140}" y="24" fill="#1b3a4b">PyTorch float32 (thin)</text>')
    lines.append(f'<text x="{left}" y="{height - 8}">step 0</text><text x="{width - 60}" y="{height - 8}">step {len(rows) - 1}</text></svg>')
    path.write_text("\n".join(lines) + "\n")


def compare(family, options, text):
    """Trains one family both ways, writes its curves and returns the largest relative difference of a loss."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        configs = []
        for t, workers in enumerate(batches(text, options.steps)):
            rate = learning_rate(t, options.steps, options.lr)
            config = dict(MODELS[family], step=t + 1, lr=rate, workers=workers)
            configs.append(folder / f"step{t + 1}.json")
            configs[-1].write_text(json.dumps(config))
        our_losses = ours(configs, folder)
        torch_losses = pytorch(configs, folder / "state0.safetensors")
    rows = [(t, a, b) for t, (a, b) in enumerate(zip(our_losses, torch_losses))]
    with open(options.out / f"{FILES[family]}.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("step", "bitwitness", "pytorch"))
        writer.writerows((t, f"{a:.9g}", f"{b:.9g}") for t, a, b in rows)
    draw(rows, options.out / f"{FILES[family]}.svg")
    worst = max(abs(a - b) / abs(b) for _, a, b in rows)
    print(f"{family}: loss {rows[0][1]:.4f} -> {rows[-1][1]:.4f}; largest relative difference {worst:.1e}", flush=True)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--family", choices=("gpt2", "llama", "both"), default="both")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--text", type=pathlib.Path, nargs="+", default=[CORPUS])
    options = parser.parse_args()
    text = b"".join(map(read_text, options.text))
    options.out.mkdir(parents=True, exist_ok=True)
    families = MODELS if options.family == "both" else (options.family,)
    worst = [compare(family, options, text) for family in families]
    return 0 if max(worst) <= 1e-3 else 1


if __name__ == "__main__":
    sys.exit(main())
