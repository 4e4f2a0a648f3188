#!/usr/bin/env python3
"""The model workload in Python PyTorch eager: the twin of workloads/model/eager.cpp, operator for operator.

For the ratio "a C++ step takes at most 1.03 times Python eager's". Run it alternating with `bench-worker --case ...`, each in a
fresh process. Prints one JSON object: {"host_ns": [...], "phase_ns": [...], "torch": ..., "threads": ...}.

    workloads/peers/torch_eager.py --size small --context 256 --batch 4 --mode train-step --steps 10
    workloads/peers/torch_eager.py --size small --layers 1 --context 32 --operators     # names of one step's operators
"""

import argparse
import json
import math
import time

import torch
import torch.nn.functional as F

SIZES = {  # d_model, d_ff, layers, heads
    "small": (768, 3072, 12, 12),
    "medium": (1024, 4096, 24, 16),
    "large": (1280, 5120, 36, 20),
    "xl": (1600, 6400, 48, 25),
    "7B": (2560, 10240, 32, 32),
    "10B": (4608, 12288, 50, 36),
    "leaderboard-8B": (4096, 11008, 34, 32),
}


def weight(*shape, std):
    tensor = torch.empty(*shape)
    torch.nn.init.trunc_normal_(tensor, std=std, a=-3 * std, b=3 * std)
    return torch.nn.Parameter(tensor)


def linear_weight(d_in, d_out):
    return weight(d_out, d_in, std=math.sqrt(2 / (d_in + d_out)))


def rms_norm(x, gain):
    wide = x.to(torch.float32)
    inverse_rms = wide.pow(2).mean(-1, keepdim=True).add(1e-5).rsqrt()
    return wide.mul(inverse_rms).mul(gain).to(x.dtype)


def rotate(x, cosine, sine):
    even, odd = x.to(torch.float32).unflatten(-1, (-1, 2)).unbind(-1)
    rotated = torch.stack((even.mul(cosine).sub(odd.mul(sine)), even.mul(sine).add(odd.mul(cosine))), -1)
    return rotated.flatten(-2).to(x.dtype)


def naive(q, k, v, future):
    scores = q.matmul(k.transpose(-2, -1)).mul(1 / math.sqrt(q.size(-1)))
    return scores.masked_fill(future, -math.inf).softmax(-1).matmul(v)


def sdpa(q, k, v, future):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


class Block(torch.nn.Module):
    def __init__(self, d, d_ff):
        super().__init__()
        self.attention_norm = torch.nn.Parameter(torch.ones(d))
        self.query, self.key, self.value, self.output = (linear_weight(d, d) for _ in range(4))
        self.feed_forward_norm = torch.nn.Parameter(torch.ones(d))
        self.w1, self.w3, self.w2 = linear_weight(d, d_ff), linear_weight(d, d_ff), linear_weight(d_ff, d)


class Model(torch.nn.Module):
    def __init__(self, d, d_ff, layers, heads, vocabulary, context, attention):
        super().__init__()
        self.heads, self.attention = heads, attention
        self.embedding = weight(vocabulary, d, std=1.0)
        self.blocks = torch.nn.ModuleList(Block(d, d_ff) for _ in range(layers))
        self.final_norm = torch.nn.Parameter(torch.ones(d))
        self.head = linear_weight(d, vocabulary)
        d_head = d // heads
        rates = 10000.0 ** -(torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)
        angles = torch.arange(context, dtype=torch.float64).unsqueeze(1) * rates
        self.cosine, self.sine = angles.cos().float(), angles.sin().float()
        self.future = torch.ones(context, context, dtype=torch.bool).triu(1)

    def attend(self, block, x):
        def heads(w):
            return F.linear(x, w).view(x.size(0), x.size(1), self.heads, -1).transpose(1, 2)

        q = rotate(heads(block.query), self.cosine, self.sine)
        k = rotate(heads(block.key), self.cosine, self.sine)
        attended = self.attention(q, k, heads(block.value), self.future)
        return F.linear(attended.transpose(1, 2).flatten(-2), block.output)

    def forward(self, tokens):
        x = F.embedding(tokens, self.embedding)
        for block in self.blocks:
            x = x + self.attend(block, rms_norm(x, block.attention_norm))
            normalized = rms_norm(x, block.feed_forward_norm)
            x = x + F.linear(F.silu(F.linear(normalized, block.w1)) * F.linear(normalized, block.w3), block.w2)
        return F.linear(rms_norm(x, self.final_norm), self.head)


def make_step(options, model):
    tokens, targets = torch.randint(options.vocabulary, (2, options.batch, options.context))
    mixed = options.precision == "bf16-mixed"
    fused = options.optimizer == "adamw-fused"
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True if fused else None)

    def forward():
        with torch.autocast("cpu", torch.bfloat16, enabled=mixed):
            return model(tokens)

    def loss():
        with torch.autocast("cpu", torch.bfloat16, enabled=mixed):
            return F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())

    def inference():
        with torch.no_grad():
            forward()
        return [time.monotonic_ns()]

    def learn():
        value = loss()
        marks = [time.monotonic_ns()]
        value.backward()
        if options.mode == "train-step":
            marks.append(time.monotonic_ns())
            optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return marks + [time.monotonic_ns()]

    return inference if options.mode == "forward" else learn


def operators_of(step):
    """The outermost ATen operators of one step on the Python thread, in order: what the C++ twin must repeat."""
    step()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        step()
    names, end = [], 0
    for event in sorted(profile.events(), key=lambda e: (e.time_range.start, -e.time_range.end)):
        if event.name.startswith("aten::") and event.time_range.start >= end:
            names.append(event.name)
            end = event.time_range.end
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, default="small")
    for name in ("d-model", "d-ff", "layers", "heads"):
        parser.add_argument(f"--{name}", type=int)
    parser.add_argument("--vocabulary", type=int, default=10000)
    parser.add_argument("--context", type=int, default=256)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--mode", choices=("forward", "forward-backward", "train-step"), default="train-step")
    parser.add_argument("--precision", choices=("fp32", "bf16-mixed"), default="fp32")
    parser.add_argument("--attention", choices=("naive", "sdpa"), default="naive")
    parser.add_argument("--optimizer", choices=("adamw", "adamw-fused"), default="adamw")
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--operators", action="store_true", help="list one step's operators instead of timing")
    options = parser.parse_args()

    given = (options.d_model, options.d_ff, options.layers, options.heads)
    shape = (own or of_size for own, of_size in zip(given, SIZES[options.size]))
    torch.manual_seed(0)
    # The worker flushes denormals in timed steps, too. On the calling thread; OpenMP's threads inherit it when they start.
    torch.set_flush_denormal(True)
    attention = {"naive": naive, "sdpa": sdpa}[options.attention]
    step = make_step(options, Model(*shape, options.vocabulary, options.context, attention))
    if options.operators:
        print("\n".join(operators_of(step)))
        return

    host_ns, phase_ns = [], []
    for i in range(options.warmup + options.steps):
        begin = time.monotonic_ns()
        marks = step()
        end = time.monotonic_ns()
        if i >= options.warmup:
            host_ns.append(end - begin)
            phase_ns.append([b - a for a, b in zip([begin] + marks, marks)])
    print(json.dumps({"host_ns": host_ns, "phase_ns": phase_ns, "torch": torch.__version__,
                      "threads": torch.get_num_threads()}))


if __name__ == "__main__":
    main()
