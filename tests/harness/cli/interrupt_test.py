"""Real runs, really killed at random moments, lose nothing. Usage: interrupt_test.py BENCH
BENCH_TEST_INTERRUPTIONS (default 30) and BENCH_TEST_SEED say how often, and which moments."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BENCH = os.path.abspath(sys.argv.pop())
WANTED = int(os.environ.get("BENCH_TEST_INTERRUPTIONS", "30"))
SEED = int(os.environ.get("BENCH_TEST_SEED", str(random.randrange(1 << 32))))
CASES = 40
COMMAND = ["run", "synthetic", "--duration", f"1001:{1000 + CASES}:+1", "--steps", "5", "--quiet", "--device", "cpu"]


def workers_of(folder):
    """Living processes whose standard output goes to a log in `folder`."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
            if os.readlink(f"/proc/{pid}/fd/1").startswith(folder) and state != "Z":
                found.append(int(pid))
        except OSError:
            pass
    return found


class Interrupted(unittest.TestCase):
    def run_for(self, arguments, seconds, sent):
        """Starts bench and sends it a signal after a while; its exit code, None where it was done before."""
        process = subprocess.Popen([BENCH, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            _, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(sent)
            _, errors = process.communicate(timeout=60)
            return process.returncode, errors
        self.assertEqual(process.returncode, 0, errors)
        return None, errors

    def finish(self, out):
        """Interrupts and resumes the run in `out` until it is done; how often that took."""
        interruptions = 0
        arguments = [*COMMAND, "--out", out]
        while True:
            sent = self.random.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
            code, errors = self.run_for(arguments, self.random.uniform(0.0, 1.5), sent)
            if code is None:
                return interruptions
            interruptions += 1
            expected = {signal.SIGKILL: [-9], signal.SIGINT: [130, -2], signal.SIGTERM: [143, -15]}[sent]
            self.assertIn(code, [*expected, 0], errors)
            if sent == signal.SIGKILL and self.random.random() < 0.5 and os.path.exists(f"{out}/cases.jsonl"):
                with open(f"{out}/cases.jsonl", "a") as file:  # what a power failure leaves of a line
                    file.write('{"kind":"case","id":"synthe'[: self.random.randrange(1, 27)])
                    file.write(self.random.choice(["", "\0\n"]))
            if os.path.exists(f"{out}/plan.json"):
                arguments = ["run", "--quiet", "--resume", out]
            elif os.path.isdir(out):  # struck before it had begun: there is nothing to go on with
                subprocess.run(["rm", "-r", out], check=True)

    def test_nothing_is_lost_and_nothing_is_measured_twice(self):
        self.random = random.Random(SEED)
        print(f"seed {SEED}", flush=True)
        interruptions = 0
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            rounds = 0
            while interruptions < WANTED:
                rounds += 1
                out = os.path.join(folder, f"run-{rounds}")
                interruptions += self.finish(out)
                with open(f"{out}/run.json") as file:
                    document = json.load(file)
                self.assertTrue(document["run"]["complete"])
                durations = [case["parameters"]["duration"] for case in document["cases"]]
                self.assertEqual(durations, list(range(1001, 1001 + CASES)), f"seed {SEED}")
                self.assertEqual({case["status"] for case in document["cases"]}, {"ok"})
                self.assertEqual({len(case["samples"]) for case in document["cases"]}, {10})
                with open(f"{out}/cases.jsonl") as file:
                    lines = [json.loads(line) for line in file]
                self.assertEqual(len(lines), 1 + CASES, "a case was measured twice")
            end = time.monotonic() + 30
            while workers_of(folder) and time.monotonic() < end:
                time.sleep(0.05)
            self.assertEqual(workers_of(folder), [], "a worker outlived its bench")
        print(f"{interruptions} interruptions of {rounds} runs")


if __name__ == "__main__":
    unittest.main()
