#!/usr/bin/env python3
"""One case of the model workload in Python PyTorch, by itself: for eager_ratio.py, and for people with a profiler.

Prints one JSON object: {"host_ns": [...], "phase_ns": [...], "torch": ..., "threads": ...}. In a run of bench the same
model is `--implementation torch-eager` (torch_worker.py).

    workloads/peers/torch_eager.py $SHAPE --mode train-step --steps 10
    workloads/peers/torch_eager.py $SHAPE --operators     # names of one step's operators

where SHAPE states all dimensions, those of size small for example:

    --d-model 768 --d-ff 3072 --layers 12 --heads 12 --vocabulary 10000 --context 256 --batch 4
"""

import argparse
import json

import torch

import torch_model
from torch_devices import flush_denormals, monotonic_ns


def make_step(c):
    device = torch.device("cpu")
    run = torch_model.Run(c, torch_model.make_model(c, device, seed=0), device)
    tokens, targets = torch_model.random_batch(c, device)

    def inference():
        run.logits(tokens)
        return [monotonic_ns()]

    def learn():
        loss = run.loss(tokens, targets)
        marks = [monotonic_ns()]
        run.backward(loss)
        if c.mode == "train-step":
            marks.append(monotonic_ns())
            run.update()
        run.zero_gradients()
        return marks + [monotonic_ns()]

    return inference if c.mode == "forward" else learn


def pytorchs_adamw():
    """The settings that torch.optim.AdamW has by itself."""
    own = torch.optim.AdamW([torch.zeros(1)]).defaults
    return {"lr": own["lr"], "beta1": own["betas"][0], "beta2": own["betas"][1], "eps": own["eps"],
            "weight-decay": own["weight_decay"]}


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
    for name in torch_model.DIMENSIONS:
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--mode", choices=torch_model.PHASES, default="train-step")
    parser.add_argument("--precision", choices=torch_model.PRECISIONS, default="fp32")
    parser.add_argument("--attention", choices=torch_model.ATTENTION, default="naive")
    parser.add_argument("--optimizer", choices=torch_model.OPTIMIZERS, default="adamw")
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--operators", action="store_true", help="list one step's operators instead of timing")
    options = parser.parse_args()

    # The worker flushes denormals in timed steps, too.
    flush_denormals(True)
    given = {name.replace("_", "-"): value for name, value in vars(options).items()}
    step = make_step(torch_model.Configuration.of({"implementation": "torch-eager", **pytorchs_adamw(), **given}))
    if options.operators:
        print("\n".join(operators_of(step)))
        return

    host_ns, phase_ns = [], []
    for i in range(options.warmup + options.steps):
        begin = monotonic_ns()
        marks = step()
        end = monotonic_ns()
        if i >= options.warmup:
            host_ns.append(end - begin)
            phase_ns.append([b - a for a, b in zip([begin] + marks, marks)])
    print(json.dumps({"host_ns": host_ns, "phase_ns": phase_ns, "torch": torch.__version__,
                      "threads": torch.get_num_threads()}))


if __name__ == "__main__":
    main()
