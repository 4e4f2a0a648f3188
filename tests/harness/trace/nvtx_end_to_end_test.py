#!/usr/bin/env python3
"""What `nsys profile bench run model ...` would see, without nsys: the NVTX ranges of a real run.

    nvtx_end_to_end_test.py BENCH NVTX_RECORDER

BENCH is the built `bench`, NVTX_RECORDER the library that tests/support/nvtx_recorder.cpp builds.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

STEPS = 3
LAYERS = 2
STEP_NAMES = {"FWD_STEP", "BWD_STEP", "OPTIM_STEP"}
ATTENTION_NAMES = {"ATTN_QK_MATMUL", "ATTN_SOFTMAX", "ATTN_AV_MATMUL"}
INSIDE_STEP = STEP_NAMES | ATTENTION_NAMES | {"BLOCK"}


class Range:
    """One range: `first` and `last` are its lines' numbers in the record, `parents` the names around it, outermost first."""

    def __init__(self, opening, first, parents=()):
        self.name = opening["name"]
        self.payload = opening.get("payload")
        self.first = first
        self.last = None
        self.parents = list(parents)

    def contains(self, other):
        return self.first < other.first and other.last < self.last

    def __repr__(self):
        return f"{self.name}[{self.first}..{self.last}]"


def read_ranges(events):
    """(push/pop ranges, start/end ranges). Fails on an end or pop that closes nothing and on a range left open."""
    nested, spans = [], []
    stacks = collections.defaultdict(list)
    started = {}
    for number, event in enumerate(events):
        owner = (event["process"], event["thread"], event["domain"])
        if event["event"] == "push":
            stacks[owner].append(Range(event, number, [outer.name for outer in stacks[owner]]))
            nested.append(stacks[owner][-1])
        elif event["event"] == "pop":
            assert stacks[owner], f"line {number + 1} pops nothing: {event}"
            assert stacks[owner][-1].name == event["name"], f"line {number + 1} pops {event['name']}, not the innermost"
            stacks[owner].pop().last = number
        elif event["event"] == "start":
            started[event["process"], event["id"]] = Range(event, number)
            spans.append(started[event["process"], event["id"]])
        elif event["event"] == "end":
            key = (event["process"], event["id"])
            assert key in started, f"line {number + 1} ends nothing: {event}"
            started.pop(key).last = number
    left_open = [r for stack in stacks.values() for r in stack] + list(started.values())
    assert not left_open, f"never closed: {left_open}"
    return nested, spans


class ModelRun:
    """The tests of one run with `warmup_steps` warm-up steps."""

    warmup_steps = None

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder, "nvtx.jsonl")
            out = pathlib.Path(folder, "run")
            command = [
                BENCH, "run", "model", "--d-model", "64", "--d-ff", "256", "--layers", str(LAYERS), "--heads", "4",
                "--context", "32", "--steps", str(STEPS), "--warmup", str(cls.warmup_steps), "--device", "cpu",
                "--out", str(out),
            ]
            # bench passes its environment on to its worker, where the tool is then loaded.
            environment = dict(os.environ, NVTX_INJECTION64_PATH=RECORDER, NVTX_RECORDER_OUTPUT=str(output))
            run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
            said = f"{' '.join(command)}\nexit code {run.returncode}\n{run.stdout}\n{run.stderr}"
            assert run.returncode == 0, said
            assert output.exists(), f"no NVTX call reached the tool\n{said}"
            cls.events = [json.loads(line) for line in output.read_text().splitlines()]
            cls.case_id = json.loads((out / "run.json").read_text())["cases"][0]["id"]
        cls.ours = [e for e in cls.events if e["domain"] == "bench" and e["event"] not in ("domain", "string")]
        cls.nested, cls.spans = read_ranges(cls.ours)

    def named(self, *names):
        return [r for r in self.nested if r.name in names]

    def one(self, ranges, what):
        self.assertEqual(len(ranges), 1, f"expected one {what}, got {ranges}")
        return ranges[0]

    def case_span(self):
        return self.one([s for s in self.spans if s.name == self.case_id], f"start/end range {self.case_id}")

    def measure(self):
        return self.one([s for s in self.spans if s.name == "MEASURE"], "start/end range MEASURE")

    def warmups(self):
        """One per request for warm-up steps: the first step may be asked for apart."""
        ranges = self.named("WARMUP")
        self.assertTrue(ranges, "no WARMUP")
        return ranges

    def check(self):
        return self.one(self.named("CHECK"), "CHECK")

    def test_every_range_of_the_project_is_registered_in_the_domain_bench(self):
        known = INSIDE_STEP | {"WARMUP", "CHECK", "MEASURE", self.case_id}
        for event in self.events:
            if event["event"] in ("push", "pop", "start", "end") and event["name"] in known:
                self.assertEqual(event["domain"], "bench", event)
                self.assertTrue(event["registered"], event)

    def test_the_domain_holds_no_other_range(self):
        self.assertEqual({r.name for r in self.nested}, INSIDE_STEP | {"WARMUP", "CHECK"})
        self.assertEqual({s.name for s in self.spans}, {"MEASURE", self.case_id})

    def test_one_range_spans_the_case(self):
        case = self.case_span()
        for other in self.nested + [self.measure()]:
            self.assertTrue(case.contains(other), f"{other} lies outside {case}")

    def test_the_phases_follow_each_other(self):
        phases = self.phases_in_order()
        for before, after in zip(phases, phases[1:]):
            self.assertLess(before.last, after.first, f"{before} is not before {after}")

    def test_no_step_range_opens_outside_measure(self):
        measure = self.measure()
        for step in self.named(*INSIDE_STEP):
            self.assertTrue(measure.contains(step), f"{step} lies outside {measure}")
            for warmup in self.warmups():
                self.assertFalse(warmup.contains(step), f"{step} lies inside {warmup}")

    def test_each_step_has_its_three_phases_in_order(self):
        steps = self.named(*STEP_NAMES)
        self.assertEqual([s.name for s in steps], ["FWD_STEP", "BWD_STEP", "OPTIM_STEP"] * STEPS)
        for before, after in zip(steps, steps[1:]):
            self.assertLess(before.last, after.first, f"{before} overlaps {after}")

    def test_each_forward_has_its_blocks_numbered_by_layer(self):
        blocks = self.named("BLOCK")
        self.assertEqual([b.payload for b in blocks], list(range(LAYERS)) * STEPS)
        for block in blocks:
            self.assertEqual(block.parents, ["FWD_STEP"])

    def test_each_block_has_one_naive_attention(self):
        attention = self.named(*ATTENTION_NAMES)
        self.assertEqual(
            [a.name for a in attention], ["ATTN_QK_MATMUL", "ATTN_SOFTMAX", "ATTN_AV_MATMUL"] * LAYERS * STEPS
        )
        for part in attention:
            self.assertEqual(part.parents, ["FWD_STEP", "BLOCK"])
        for block in self.named("BLOCK"):
            self.assertEqual(sum(block.contains(part) for part in attention), 3, f"parts in {block}")


class WithWarmup(ModelRun, unittest.TestCase):
    warmup_steps = 3

    def phases_in_order(self):
        return [self.check(), *self.warmups(), self.measure()]


class WithHardlyAnyWarmup(ModelRun, unittest.TestCase):
    """Warm-up is the subject below 3 steps: a check before them would warm up too, so it comes last."""

    warmup_steps = 2

    def phases_in_order(self):
        return [*self.warmups(), self.measure(), self.check()]


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    BENCH, RECORDER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
