#!/usr/bin/env python3
"""bench's eager model against Python PyTorch eager, in alternating fresh processes: how far apart are they?

    workloads/peers/eager_ratio.py BENCH [--rounds 5] [--keep DIR] [OPTIONS of bench run model]
    workloads/peers/eager_ratio.py build/release/bin/bench --size small,medium --mode forward,train-step

Each round is one `bench run model --implementation eager,torch-eager`, in turns the other way round: bench keeps one of
the two programs alive at a time, so that every case of either side has a process of its own. Printed, as Markdown: per
case the median over the rounds of both sides' medians, the median of the rounds' ratios with their smallest and largest,
which say how far to trust it, and both peaks of allocated memory where both sides know theirs (on the CPU PyTorch does
not). Ctrl-C ends the rounds, and what is there is printed. Needs a quiet machine and the full set of wheels (scripts/setup --peers).
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

interrupted = []
SIDES = ("eager", "torch-eager")


def round_of(bench, options, sides, folder):
    """The cases of one run, by what they have in common: {parameters: {side: {metric: value}}}."""
    command = [bench, "run", "model", *options, "--implementation", ",".join(sides), "--out", folder, "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as run:
        while True:
            try:
                code = run.wait()
                break
            except KeyboardInterrupt:  # bench has the signal too, and writes what it has
                interrupted.append(True)
    if code not in (0, 1, 130):
        sys.exit(f"bench exited with {code}")
    cases = {}
    for case in json.loads((pathlib.Path(folder) / "run.json").read_text())["cases"]:
        side = case["parameters"].pop("implementation")
        if case["status"] != "ok":
            print(f"{side} {case['id']}: {case['status']}: {case['reason']['text']}", file=sys.stderr)
            continue
        metrics = {summary["metric"]: summary["value"] for summary in case["summaries"]}
        metrics["peak"] = (case.get("memory") or {}).get("peak_allocated_bytes")
        cases.setdefault(json.dumps(case["parameters"]), {})[side] = metrics
    return cases


def what_differs(cases):
    """The parameters that tell the cases apart, as text for each case."""
    parameters = [json.loads(case) for case in cases]
    names = [name for name in parameters[0] if len({str(p.get(name)) for p in parameters}) > 1] or ["size"]
    return {case: ", ".join(str(p.get(name)) for name in names) for case, p in zip(cases, parameters)}


def mebibytes(values):
    return f"{statistics.median(values) / 2**20:,.0f}" if values else "–"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", help="the built bench, its workers beside it")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", help="folder for the rounds' run directories [none are kept]")
    own, options = parser.parse_known_args()

    rounds = []
    with tempfile.TemporaryDirectory() as temporary:
        for i in range(own.rounds):
            sides = SIDES if i % 2 == 0 else SIDES[::-1]
            rounds.append(round_of(own.bench, options, sides, f"{own.keep or temporary}/round-{i + 1}"))
            print(f"round {i + 1} of {own.rounds} {'interrupted' if interrupted else 'done'}", file=sys.stderr, flush=True)
            if interrupted:
                break

    both = {case: [r[case] for r in rounds if set(r.get(case, ())) == set(SIDES)] for case in rounds[0]}
    both = {case: found for case, found in both.items() if found}
    if not both:
        sys.exit("no case came out on both sides")
    print("| case | eager (ms) | torch-eager (ms) | ratio | rounds | from | to | eager peak (MiB) | torch-eager peak (MiB) |")
    print("| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for case, label in what_differs(list(both)).items():
        steps = {side: [found[side]["step"] for found in both[case]] for side in SIDES}
        ratios = [ours / theirs for ours, theirs in zip(*steps.values())]
        peaks = {side: [found[side]["peak"] for found in both[case] if found[side]["peak"]] for side in SIDES}
        medians = " | ".join(f"{statistics.median(steps[side]) / 1e6:.2f}" for side in SIDES)
        print(f"| {label} | {medians} | {statistics.median(ratios):.3f} | {len(ratios)} | {min(ratios):.3f} | {max(ratios):.3f} | "
              f"{' | '.join(mebibytes(peaks[side]) for side in SIDES)} |")


if __name__ == "__main__":
    sys.exit(main())
