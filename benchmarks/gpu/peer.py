"""PyTorch, eager, float32 without TF32, on the same sizes as `bitwitness bench-gpu`: peer.py PART OUT CARD."""

import json
import statistics
import sys
import time

import torch
import torch.nn.functional as F

SIZES = (1024, 2048, 4096, 8192)
# name: width, layers, heads, length, sequences, micro-batches, vocabulary; as StepSize.java has them
MODELS = {
    "step-124m": ("gpt-124m", 768, 12, 12, 1024, 4, 2, 50257),
    "step-1600m": ("gpt-1600m", 1600, 48, 25, 1024, 2, 2, 50257),
}


def seconds(work, runs):
    work()
    torch.cuda.synchronize()
    measured = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        torch.cuda.synchronize()
        measured.append(time.perf_counter() - started)
    return statistics.median(measured)


def gemm():
    rows = []
    for n in SIZES:
        x = torch.randn(n, n, device="cuda")
        y = torch.randn(n, n, device="cuda")
        out = torch.empty(n, n, device="cuda")
        rate = 2 * n**3 / seconds(lambda: torch.matmul(x, y, out=out), 5) / 1e9
        rows.append({"name": f"gemm-{n}", "value": rate, "unit": "GFLOP/s"})
    return rows


class Gpt(torch.nn.Module):
    """GPT-2 with a tied head, as the profile has it: pre-norm blocks, tanh GELU."""

    def __init__(self, width, layers, heads, length, vocab):
        super().__init__()
        self.heads = heads
        self.tokens = torch.nn.Parameter(0.02 * torch.randn(vocab, width, device="cuda"))
        self.positions = torch.nn.Parameter(0.01 * torch.randn(length, width, device="cuda"))
        kinds = {"attn": (width, 3 * width), "proj": (width, width), "up": (width, 4 * width), "down": (4 * width, width)}
        self.blocks = torch.nn.ModuleList()
        for _ in range(layers):
            block = torch.nn.ModuleDict({k: torch.nn.Linear(a, b, device="cuda") for k, (a, b) in kinds.items()})
            block["norm1"] = torch.nn.LayerNorm(width, device="cuda")
            block["norm2"] = torch.nn.LayerNorm(width, device="cuda")
            self.blocks.append(block)
        self.norm = torch.nn.LayerNorm(width, device="cuda")

    def forward(self, ids):
        b, t = ids.shape
        x = self.tokens[ids] + self.positions[:t]
        for block in self.blocks:
            q, k, v = block["attn"](block["norm1"](x)).reshape(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + block["proj"](y.transpose(1, 2).reshape(b, t, -1))
            x = x + block["down"](F.gelu(block["up"](block["norm2"](x)), approximate="tanh"))
        return self.norm(x) @ self.tokens.T


def step(part):
    name, width, layers, heads, length, sequences, batches, vocab = MODELS[part]
    torch.manual_seed(1)
    model = Gpt(width, layers, heads, length, vocab)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)
    ids = torch.randint(vocab, (batches, sequences, length), device="cuda")

    def once():
        optimizer.zero_grad()
        for batch in ids:
            loss = F.cross_entropy(model(batch).reshape(-1, vocab), batch.reshape(-1)) / batches
            loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    rate = ids.numel() / seconds(once, 3)
    return [{"name": name, "value": rate, "unit": "tokens/s"}]


def main(part, out, card):
    torch.cuda.set_device(int(card))
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    rows = gemm() if part == "gemm" else step(part)
    with open(out, "w") as file:
        json.dump(rows, file)
    for row in rows:
        print("%-24s %.5g %s" % (row["name"], row["value"], row["unit"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
