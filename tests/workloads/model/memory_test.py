"""The model's memory formula is within 15% of what real steps take on the CPU. Usage: memory_test.py BENCH SIZES...
SIZES: tiny (every precision, attention and optimizer), or names of sizes in fp32."""

import json
import os
import subprocess
import sys
import tempfile

ALLOWED = 0.15
ALLOWED_BYTES = 1 << 19  # whatever the share: operators' scratch memory depends on the machine, and is all of a tiny case
# Four regimes: activations, scores, logits, and weights are what takes the memory.
TINY = [
    "--d-model 128 --d-ff 512 --layers 4 --heads 4 --vocabulary 500 --batch 2 --context 128",
    "--d-model 64 --d-ff 256 --layers 3 --heads 4 --vocabulary 200 --batch 1 --context 512",
    "--d-model 64 --d-ff 256 --layers 2 --heads 2 --vocabulary 8000 --batch 2 --context 64",
    "--d-model 256 --d-ff 1024 --layers 3 --heads 4 --vocabulary 500 --batch 1 --context 64",
]
AXES = "--mode forward,forward-backward,train-step"
VARIANTS = "--precision fp32,bf16-mixed,bf16 --attention naive,sdpa --optimizer adamw,adamw-fused"


def bench(arguments):
    done = subprocess.run([BENCH, "run", "model", *arguments.split(), "--device", "cpu", "--json", "--quiet"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"bench run model {arguments} exited with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def compare(arguments, folder):
    """Prints a line a case; how many are off."""
    predicted = {case["id"]: case["predicted_peak_bytes"] for case in bench(arguments + " --dry-run")["cases"]}
    measured = bench(f"{arguments} --out {folder}")["cases"]
    wrong = 0
    for case in measured:
        if case["status"] == "out_of_memory":  # nothing to compare on a machine too small
            print(f"  not here      {case['id']}: {case['reason']['text']}")
            continue
        peak = case["memory"]["peak_allocated_bytes"]
        error = predicted[case["id"]] / peak - 1
        wrong += abs(error) > ALLOWED and abs(error) * peak > ALLOWED_BYTES
        print(f"{error:+8.1%} of {peak / 2**20:8.1f} MiB  {case['id']}", flush=True)
    if len(measured) != len(predicted):
        sys.exit(f"{len(predicted)} cases were predicted and {len(measured)} measured")
    return wrong


def main():
    # One step each, after one that warms up, and the memory pass.
    once = f"{AXES} --warmup 3 --steps 1 --time-budget 1s"
    runs = []
    for size in SIZES:
        if size == "tiny":
            runs += [f"{shape} {once} {VARIANTS}" for shape in TINY]
        else:
            runs.append(f"--size {size} {once}")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, arguments in enumerate(runs):
            wrong += compare(arguments, os.path.join(folder, str(number)))
    if wrong:
        sys.exit(f"{wrong} predictions are more than {ALLOWED:.0%} off")


BENCH, *SIZES = sys.argv[1:]
main()
