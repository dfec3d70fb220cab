"""The peer of `benchmarks/run cpu`: reads "CASE THREADS" lines, answers each with the seconds of one execution.

With arguments, `memory CASE THREADS STEPS`: prints by how many KiB the peak of resident memory exceeds what the import took.
"""

import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

LEAST_SECONDS = 0.1


def gemm(m, n, k):
    x, w, y = torch.randn(m, k), torch.randn(k, n), torch.empty(m, n)
    return lambda: torch.mm(x, w, out=y)


def exp(n):
    x, y = torch.randn(n), torch.empty(n)
    return lambda: torch.exp(x, out=y)


def adamw(n):
    w = torch.randn(n, requires_grad=True)
    w.grad = torch.randn(n)
    optimizer = torch.optim.AdamW([w], lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    return optimizer.step


def layernorm(rows, width):
    norm = nn.LayerNorm(width)
    x, dy = torch.randn(rows, width, requires_grad=True), torch.randn(rows, width)
    return lambda: torch.autograd.grad(norm(x), [x, norm.weight, norm.bias], dy)


def rmsnorm(rows, width):
    norm = nn.RMSNorm(width, eps=1e-5)
    x, dy = torch.randn(rows, width, requires_grad=True), torch.randn(rows, width)
    return lambda: torch.autograd.grad(norm(x), [x, norm.weight], dy)


def gelu(n):
    x, dy = torch.randn(n, requires_grad=True), torch.randn(n)
    return lambda: torch.autograd.grad(F.gelu(x, approximate="tanh"), [x], dy)


def crossentropy(rows, vocab):
    logits, targets = torch.randn(rows, vocab, requires_grad=True), torch.randint(vocab, (rows,))
    return lambda: torch.autograd.grad(F.cross_entropy(logits, targets), [logits])


def attention(heads, length, dim):
    q, k, v = (torch.randn(1, heads, length, dim, requires_grad=True) for _ in range(3))
    d_out = torch.randn(1, heads, length, dim)
    return lambda: torch.autograd.grad(F.scaled_dot_product_attention(q, k, v, is_causal=True), [q, k, v], d_out)


class Block(nn.Module):
    def __init__(self, width, heads, rate):
        super().__init__()
        self.heads, self.rate = heads, rate
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.projection = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (
            z.reshape(b, t, self.heads, d // self.heads).transpose(1, 2) for z in self.qkv(self.ln_1(x)).split(d, 2)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=self.rate)
        x = x + F.dropout(self.projection(y.transpose(1, 2).reshape(b, t, d)), self.rate)
        y = self.down(F.gelu(self.up(self.ln_2(x)), approximate="tanh"))
        return x + F.dropout(y, self.rate)


class Gpt(nn.Module):
    def __init__(self, vocab=257, context=128, width=128, layers=4, heads=4, rate=0.1):
        super().__init__()
        self.rate = rate
        self.tokens, self.positions = nn.Embedding(vocab, width), nn.Embedding(context, width)
        self.blocks = nn.ModuleList(Block(width, heads, rate) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)

    def forward(self, ids):
        x = F.dropout(self.tokens(ids) + self.positions.weight[: ids.shape[1]], self.rate)
        for block in self.blocks:
            x = block(x)
        return self.ln_f(x) @ self.tokens.weight.T


def step(width=128, layers=4, length=128, sequences=2, vocab=257, micro_batches=1, heads=None, rate=0.0):
    model = Gpt(vocab, length, width, layers, heads or width // 64, rate)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    batches = [torch.randint(vocab, (sequences, length)) for _ in range(micro_batches)]
    tokens = micro_batches * sequences * length

    def once():
        optimizer.zero_grad()
        for ids in batches:
            loss = F.cross_entropy(model(ids).reshape(-1, vocab), ids.reshape(-1), reduction="sum") / tokens
            loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return once


KINDS = {
    "gemm": gemm,
    "exp": exp,
    "adamw": adamw,
    "layernorm": layernorm,
    "rmsnorm": rmsnorm,
    "gelu": gelu,
    "step": step,
    "crossentropy": crossentropy,
    "attention": attention,
}


def make(name):
    if name == "step-demo":
        return step(micro_batches=2, heads=4, rate=0.1)
    kind, *sizes = name.split("-")
    return KINDS[kind](*map(int, sizes))


def seconds(once):
    started = time.perf_counter()
    executions = 0
    while True:
        once()
        executions += 1
        elapsed = time.perf_counter() - started
        if elapsed >= LEAST_SECONDS:
            return elapsed / executions


def kibibytes(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field + ":"))


def memory(name, threads, steps):
    torch.set_num_threads(int(threads))
    before = kibibytes("VmRSS")
    once = make(name)
    for _ in range(int(steps)):
        once()
    print(kibibytes("VmHWM") - before)


def main():
    if sys.argv[1:2] == ["memory"]:
        return memory(*sys.argv[2:])
    torch.manual_seed(1)
    cases = {}
    print("ready", flush=True)
    for line in sys.stdin:
        name, threads = line.split()
        torch.set_num_threads(int(threads))
        if name not in cases:
            cases = {name: make(name)}
        print(seconds(cases[name]), flush=True)


if __name__ == "__main__":
    main()
