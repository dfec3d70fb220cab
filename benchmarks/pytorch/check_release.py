"""Loads a released model with transformers and compares its logits with ours, which lie beside the token ids in a file.

Usage: check_release.py FOLDER FILE.safetensors [FOLDER FILE.safetensors ...]

The file has `ids` and `logits` as float32. Values, not bits: an element may differ by 1e-4 of 1 + its size. Exit 1 if any
differs more. Needs torch, transformers, safetensors.
"""

import sys

import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

TOLERANCE = 1e-4


def check(folder, file):
    """Whether the logits of one release are ours; prints how far they are apart."""
    ours = load_file(file)
    model = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)
    model.eval()
    with torch.no_grad():
        theirs = model(input_ids=ours["ids"].long()).logits.double()
    wanted = ours["logits"].double().reshape(theirs.shape)
    apart = ((theirs - wanted).abs() / (1 + wanted.abs())).max().item()
    ok = apart <= TOLERANCE
    print(f"{type(model).__name__}: {wanted.numel()} logits, at most {apart:.2e} apart: {'ok' if ok else 'NOT EQUAL'}")
    return ok


def main(arguments):
    pairs = list(zip(arguments[::2], arguments[1::2]))
    if not pairs or len(arguments) % 2:
        print(__doc__)
        return 1
    return 0 if all([check(folder, file) for folder, file in pairs]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
