#!/usr/bin/env python3
"""bench's eager model against Python PyTorch eager on the CPU: alternating fresh processes, same conditions.

    workloads/peers/eager_ratio.py BENCH [--rounds 5] [--steps 5] [MODEL OPTIONS as torch_eager.py takes them]

Each round runs one process of either side, in random order. Printed: the median step of each process, the ratio of the
medians over all steps, and the ratios of the rounds, whose spread says how far to trust it. Needs a quiet machine and the
full set of wheels (scripts/setup --peers).
"""

import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def conditions(bench):
    """The environment that bench sets for its workers on this machine, from a run of it."""
    with tempfile.TemporaryDirectory() as folder:
        printed = subprocess.run([bench, "run", "synthetic", "--steps", "1", "--json", "--quiet", "--out", f"{folder}/run"],
                                 check=True, capture_output=True, text=True).stdout
    return {name: value for name, value in json.loads(printed)["conditions"].items() if name.isupper()}


def steps_of_worker(worker, case, steps, warmup, environment):
    lines = subprocess.run([worker, "--case", case, "--steps", str(steps), "--warmup", str(warmup), "--no-check"],
                           check=True, capture_output=True, text=True, env=environment).stdout.splitlines()
    samples = [s for line in lines for s in json.loads(line).get("samples", []) if s["kind"] == "measured"]
    return [s["host_ns"] for s in samples]


def steps_of_python(python, options, steps, warmup, environment):
    printed = subprocess.run([python, HERE / "torch_eager.py", *options, "--steps", str(steps), "--warmup", str(warmup)],
                             check=True, capture_output=True, text=True, env=environment).stdout
    return json.loads(printed)["host_ns"]


def case_of(options):
    names = [option.removeprefix("--") for option in options[::2]]
    return "/".join(["model"] + [f"{name}:{value}" for name, value in zip(names, options[1::2])])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", help="the built bench, its worker beside it")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--warmup", type=int, default=2)
    parser.add_argument("--python", default=str(ROOT / ".venv/bin/python3"))
    own, options = parser.parse_known_args()

    bench = os.path.abspath(own.bench)
    environment = {**os.environ, **conditions(bench)}
    sides = {
        "bench": lambda: steps_of_worker(os.path.join(os.path.dirname(bench), "bench-worker"), case_of(options),
                                          own.steps, own.warmup, environment),
        "python": lambda: steps_of_python(own.python, options, own.steps, own.warmup, environment),
    }
    times = {name: [] for name in sides}
    for round in range(own.rounds):
        for name in random.sample(list(sides), 2):
            times[name].append(sides[name]())
        medians = {name: statistics.median(times[name][-1]) / 1e6 for name in sides}
        print(f"round {round + 1}: bench {medians['bench']:.1f} ms, python {medians['python']:.1f} ms, "
              f"ratio {medians['bench'] / medians['python']:.3f}", flush=True)
    pooled = {name: statistics.median(sum(times[name], [])) for name in sides}
    rounds = sorted(statistics.median(b) / statistics.median(p) for b, p in zip(times["bench"], times["python"]))
    print(f"ratio of medians {pooled['bench'] / pooled['python']:.3f} "
          f"(rounds {rounds[0]:.3f} to {rounds[-1]:.3f}, median {statistics.median(rounds):.3f})")


if __name__ == "__main__":
    sys.exit(main())
