"""The Python worker, spoken to as bench does. Usage: torch_worker_test.py BENCH-WORKER PYTHON

Skipped (77) where PYTHON lacks torch or safetensors: scripts/setup --peers installs them.
"""

import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

PYTHON = sys.argv.pop()
NATIVE = os.path.abspath(sys.argv.pop())
SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "workloads" / "peers" / "torch_worker.py"
TINY = {"size": "custom", "d-model": 32, "d-ff": 64, "layers": 1, "heads": 4, "vocabulary": 61, "context": 12, "batch": 2}
ENVIRONMENT = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive", "PYTHONDONTWRITEBYTECODE": "1"}
ADAMW = {"optimizer": "adamw", "lr": 0.01, "beta1": 0.9, "beta2": 0.99, "eps": 1e-8, "weight-decay": 0.1}


def case(mode="train-step", **changes):
    parameters = {**TINY, "mode": mode, "precision": "fp32", "attention": "naive", "implementation": "torch-eager",
                  **(ADAMW if mode == "train-step" else {}), **({} if mode == "forward" else {"loss": "naive"}), **changes}
    return {"id": "a test's", "workload": "model", "parameters": parameters}


class Worker:
    """A worker program over two pipes; the test is its parent."""

    def __init__(self, command, *arguments):
        (their_commands, self.commands), (events, their_events) = os.pipe(), os.pipe()
        self.process = subprocess.Popen([*command, "--command-fd", str(their_commands), "--event-fd", str(their_events),
                                         "--parent-pid", str(os.getpid()), *arguments],
                                        pass_fds=(their_commands, their_events), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, env={**os.environ, **ENVIRONMENT})
        os.close(their_commands)
        os.close(their_events)
        self.events = open(events, encoding="utf-8")
        self.hello = self.event()

    def event(self):
        return json.loads(self.events.readline())

    def send(self, command, **members):
        os.write(self.commands, json.dumps({"command": command, **members}).encode() + b"\n")

    def ask(self, command, **members):
        """The events of one command; the last of them ends it."""
        self.send(command, **members)
        events = [self.event()]
        while events[-1]["event"] in ("progress", "samples"):
            events.append(self.event())
        return events

    def prepare(self, configuration, check_file="", check=True, fault="", **members):
        return self.ask("prepare", slot=0, case=configuration, seed=3, cache="hot", headline="host", check=check,
                        inject_fault=fault, check_file=check_file, **members)[-1]

    def close(self):
        for close in (lambda: os.close(self.commands), self.events.close):
            try:
                close()
            except OSError:
                pass
        self.process.wait(30)


class TorchWorker(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.native = Worker([NATIVE])
        cls.worker = Worker([PYTHON, str(SCRIPT)], "--build-id", "an id")

    @classmethod
    def tearDownClass(cls):
        cls.native.close()
        cls.worker.close()
        cls.folder.cleanup()

    def check_file(self, configuration):
        path = os.path.join(self.folder.name, "check.safetensors")
        reference = {**configuration, "parameters": {**configuration["parameters"], "implementation": "eager"}}
        answer = self.native.ask("write_check", slot=0, case=reference, seed=3, path=path)[-1]
        self.assertEqual(answer["event"], "done", answer)
        return path

    def check_of(self, configuration, **members):
        return self.worker.prepare(configuration, self.check_file(configuration), **members)["check"]

    # ---- what the native worker writes ------------------------------------------------------------------------------

    def test_the_check_file_is_safetensors_with_every_part_of_the_check(self):
        with open(self.check_file(case()), "rb") as file:
            content = file.read()
        (length,) = struct.unpack("<Q", content[:8])
        header = json.loads(content[8:8 + length])
        self.assertEqual(header["tokens"], {"dtype": "I64", "shape": [2, 12], "data_offsets": header["tokens"]["data_offsets"]})
        self.assertEqual(header["losses"]["shape"], [3])
        names = [name.removeprefix("weight.") for name in header if name.startswith("weight.")]
        self.assertEqual(len(names), 3 + 2 * 9)  # the small version has two layers
        for name in names:
            self.assertEqual(header["weight." + name]["dtype"], "F32")
            for part in ("gradient.", "updated."):
                self.assertEqual(header[part + name]["dtype"], "F64")
        for part in ("gradients", "updates"):
            self.assertEqual(header["allowed." + part]["shape"], [len(names)])
        self.assertEqual(8 + length + max(entry["data_offsets"][1] for entry in header.values()), len(content))

    # ---- a case's life ----------------------------------------------------------------------------------------------

    def test_hello_says_who_speaks_and_under_what_conditions(self):
        hello = self.worker.hello
        self.assertEqual((hello["event"], hello["protocol"], hello["program"]), ("hello", 1, "torch_worker"))
        self.assertEqual((hello["build_id"], hello["devices"]), ("an id", ["cpu"]))
        self.assertTrue(hello["libraries"]["torch"].startswith("2.11."))
        self.assertEqual(hello["conditions"]["denormals"], "flushed")
        self.assertGreater(hello["empty_sample_ns"], 0)

    def test_a_case_from_its_preparation_to_its_release(self):
        configuration = case()
        prepared = self.worker.prepare(configuration, self.check_file(configuration))
        self.assertEqual(prepared["event"], "prepared", prepared)
        self.assertTrue(prepared["check"]["passed"], prepared["check"]["reason"])
        self.assertEqual(len(prepared["check"]["items"]), 20)
        self.assertEqual(prepared["phase_names"], ["forward", "backward", "optimizer"])
        self.assertNotIn("compile_ns", prepared)

        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        *streamed, done = self.worker.ask("measure", slot=0, kind="measured", samples=3, steps_per_sample=2)
        samples = [sample for event in streamed for sample in event["samples"]]
        self.assertEqual([(s["steps"], s["kind"], s["rank"]) for s in samples], [(2, "measured", 0)] * 3)
        for sample in samples:
            self.assertGreater(sample["begin_ns"], before)
            self.assertEqual(len(sample["phase_ns"]), 3)
            self.assertLessEqual(sum(sample["phase_ns"]), sample["host_ns"])
            self.assertGreater(sum(sample["phase_ns"]), 0.5 * sample["host_ns"])
            self.assertNotIn("device_ns", sample)
        self.assertIn("minor_faults", done["counters"])

        self.assertTrue(self.worker.ask("verify", slot=0)[-1]["check"]["passed"])
        self.assertNotIn("memory", self.worker.ask("observe", slot=0, **{"pass": "memory"})[-1])
        self.assertEqual(self.worker.ask("release", slot=0)[-1]["event"], "done")

    def test_a_check_can_come_after_the_samples(self):
        configuration = case("forward")
        prepared = self.worker.prepare(configuration, self.check_file(configuration), check=False)
        self.assertEqual(prepared["check"]["items"], [])
        self.worker.ask("measure", slot=0, kind="warm-up", samples=1, steps_per_sample=1)
        self.assertTrue(self.worker.ask("verify", slot=0)[-1]["check"]["passed"])
        check = self.worker.ask("check", slot=0)[-1]["check"]
        self.assertTrue(check["passed"], check["reason"])
        self.assertEqual([item["what"] for item in check["items"]], ["logits"])

    def test_slots_hold_cases_side_by_side(self):
        for slot, mode in ((0, "forward"), (1, "forward-backward")):
            configuration = case(mode)
            self.worker.ask("prepare", slot=slot, case=configuration, seed=0, cache="cold", headline="host", check=False,
                            inject_fault="", check_file="")
        for slot, phases in ((0, 1), (1, 2)):
            events = self.worker.ask("measure", slot=slot, kind="measured", samples=1, steps_per_sample=1)
            self.assertEqual({event["slot"] for event in events}, {slot}, events)
            self.assertEqual(events[-1]["event"], "done", events)
            self.assertEqual(len(events[0]["samples"][0]["phase_ns"]), phases)
        self.worker.ask("release", slot=1)
        self.assertEqual(self.worker.ask("verify", slot=1)[-1]["event"], "failed")

    def test_denormals_are_flushed_and_kept_on_threads_that_run_already(self):
        script = ("import sys; sys.path.insert(0, sys.argv[1]); import torch, torch_devices\n"
                  "tiny = torch.full((1 << 20,), 1e-40)\n"
                  "for flush in (False, True, False): torch_devices.flush_denormals(flush); print((tiny * 1 != 0).sum().item())")
        printed = subprocess.run([PYTHON, "-c", script, str(SCRIPT.parent)], capture_output=True, text=True, check=True,
                                 env={**os.environ, **ENVIRONMENT}).stdout
        # The comparison reads denormals as zero, too, where they are flushed: what counts is that no chunk differs.
        self.assertEqual(printed.split(), [str(1 << 20), "0", str(1 << 20)])

    # ---- right and wrong --------------------------------------------------------------------------------------------

    def test_every_eager_configuration_passes_its_check(self):
        for mode in ("forward", "forward-backward", "train-step"):
            for precision in ("fp32", "bf16-mixed"):
                for variants in ({}, {"attention": "sdpa"}, {"optimizer": "adamw-fused"}):
                    if "optimizer" in variants and mode != "train-step":
                        continue
                    check = self.check_of(case(mode, precision=precision, **variants))
                    self.assertTrue(check["passed"], (mode, precision, variants, check["reason"]))

    def test_faults_are_caught_by_the_check(self):
        for fault in ("zero-output", "swapped-heads", "mask-off-by-one", "stale-weight", "wrong-optimizer"):
            for mode in ("train-step",) if fault in ("stale-weight", "wrong-optimizer") else ("forward", "train-step"):
                check = self.check_of(case(mode), fault=fault)
                self.assertFalse(check["passed"], (fault, mode))
                self.assertIn("is allowed", check["reason"])

    def test_faults_of_the_timed_state_are_caught_by_the_verification(self):
        for fault, mode, reason in (
            ("stale-output", "forward", "a second input gives the same logits"),
            ("drifting-output", "forward", "the logits after timing differ from those of the first call for the same input"),
            ("nan-loss", "train-step", "the loss is not finite"),
        ):
            self.assertTrue(self.check_of(case(mode), fault=fault)["passed"])
            for _ in range(3):
                self.worker.ask("measure", slot=0, kind="measured", samples=1, steps_per_sample=1)
            check = self.worker.ask("verify", slot=0)[-1]["check"]
            self.assertEqual((check["passed"], check["reason"]), (False, reason))

    def test_a_loss_is_as_far_off_here_as_in_the_native_check(self):
        lines = (pathlib.Path(__file__).parent / "loss_errors.txt").read_text().split("\n")[:-1]
        script = ("import sys; sys.path.insert(0, sys.argv[1]); from torch_check import loss_error\n"
                  "for line in sys.argv[2:]: print(loss_error(*map(float, line.split()[:2])))")
        printed = subprocess.run([PYTHON, "-c", script, str(SCRIPT.parent), *lines], capture_output=True, text=True,
                                 check=True, env={**os.environ, **ENVIRONMENT}).stdout
        for line, error in zip(lines, map(float, printed.split()), strict=True):
            self.assertAlmostEqual(error, float(line.split()[2]), delta=1e-15, msg=line)  # comparison_test.cpp's numbers

    def test_failures_name_their_phase_and_leave_the_worker_alive(self):
        for answer, status, reason in (
            (self.worker.prepare(case(), "/no/such/file"), "failed", "check: "),
            (self.worker.prepare(case(), fault="zero-outputs"), "failed", "valid: zero-output, swapped-heads"),
            (self.worker.prepare(case(attention="flash"), check=False), "failed", "the peer has no attention flash"),
            (self.worker.prepare(case(), check=False, timing="graph"), "failed", "--timing graph needs CUDA"),
            (self.worker.prepare(case("forward", context=1 << 20, batch=1 << 10), check=False), "out_of_memory",
             "set-up of the timed state: "),
            (self.worker.ask("observe", slot=0, **{"pass": "trace"})[-1], "failed", 'this worker has no pass "trace"'),
            (self.worker.ask("frobnicate", slot=0)[-1], "failed", "frobnicate: "),
        ):
            self.assertEqual((answer["event"], answer["status"]), ("failed", status), answer)
            self.assertIn(reason, answer["reason"])
        self.assertEqual(self.worker.ask("release", slot=0)[-1]["event"], "done")

    # ---- the end ----------------------------------------------------------------------------------------------------

    def test_it_ends_with_its_command_pipe_even_in_a_step(self):
        worker = Worker([PYTHON, str(SCRIPT)], "--build-id", "x")
        worker.prepare(case("forward"), check=False)
        worker.send("measure", slot=0, kind="measured", samples=1_000_000, steps_per_sample=1)
        worker.event()
        os.close(worker.commands)
        self.assertEqual(worker.process.wait(30), 0)
        worker.close()

    def test_ctrl_c_is_benchs_to_handle_and_quit_ends_it(self):
        worker = Worker([PYTHON, str(SCRIPT)], "--build-id", "x")
        worker.process.send_signal(signal.SIGINT)
        self.assertEqual(worker.ask("release", slot=0)[-1]["event"], "done")
        worker.send("quit")
        self.assertEqual(worker.process.wait(30), 0)
        worker.close()


def has_torch():
    probe = "import importlib.util as u, sys; sys.exit(not (u.find_spec('torch') and u.find_spec('safetensors')))"
    try:
        return subprocess.run([PYTHON, "-c", probe], check=False).returncode == 0
    except OSError:
        return False


if __name__ == "__main__":
    if not has_torch():
        print(f"skipped: {PYTHON} has no torch with safetensors; scripts/setup --peers installs them")
        sys.exit(77)
    unittest.main(verbosity=2)
