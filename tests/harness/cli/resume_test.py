"""bench run --resume, as a person meets it. Usage: resume_test.py BENCH"""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

BENCH = os.path.abspath(sys.argv.pop())
RUN = ["run", "synthetic", "--duration", "1:6:+1", "--steps", "3", "--quiet", "--device", "cpu"]


def bench(*arguments, threads=None):
    environment = dict(os.environ)
    environment.pop("OMP_NUM_THREADS", None)
    if threads is not None:
        environment["OMP_NUM_THREADS"] = str(threads)
    return subprocess.run([BENCH, *arguments], capture_output=True, text=True, timeout=120, env=environment)


class Resumed(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.out = os.path.join(self.temporary.name, "run")
        self.journal = os.path.join(self.out, "cases.jsonl")

    def tearDown(self):
        self.temporary.cleanup()

    def begin(self, cases=1):
        """A run that was killed behind so many cases."""
        result = bench(*RUN, "--out", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.keep(cases)

    def lines(self):
        with open(self.journal, "rb") as file:
            return file.readlines()

    def write(self, lines):
        with open(self.journal, "wb") as file:
            file.writelines(lines)

    def keep(self, cases):
        kept, left = [], cases
        for line in self.lines():
            is_case = json.loads(line)["kind"] == "case"
            if is_case and left == 0:
                break
            left -= is_case
            kept.append(line)
        self.write(kept)
        for name in ("run.json", "report.md"):
            if os.path.exists(os.path.join(self.out, name)):
                os.remove(os.path.join(self.out, name))

    def resume(self, *arguments, **options):
        return bench("run", "--quiet", "--resume", self.out, *arguments, **options)

    def document(self):
        with open(os.path.join(self.out, "run.json")) as file:
            return json.load(file)

    def assert_whole(self):
        document = self.document()
        self.assertTrue(document["run"]["complete"])
        self.assertEqual([case["parameters"]["duration"] for case in document["cases"]], [1, 2, 3, 4, 5, 6])

    def test_each_forced_part_is_marked_in_the_journal_and_in_the_results(self):
        self.begin()
        before = self.lines()
        result = self.resume(threads=76)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("OMP_NUM_THREADS: 76, was ", result.stderr)
        self.assertIn("--force continues all the same and marks the results", result.stderr)
        self.assertEqual(self.lines(), before)
        for threads, cases in ((76, 3), (77, 6)):
            result = self.resume("--force", threads=threads)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.keep(cases)
        self.assertEqual(self.resume().returncode, 0)  # nothing is left to measure
        self.assert_whole()
        marks = self.document()["conditions"]["resumed_with"].split(" | ")
        self.assertEqual([mark.split(", was")[0] for mark in marks], ["OMP_NUM_THREADS: 76", "OMP_NUM_THREADS: 77"])

    def test_another_libtorch_is_refused_before_anything_is_measured(self):
        self.begin()
        header, *cases = self.lines()
        head = json.loads(header)
        ours = head["environment"]["libraries"]["torch"]
        head["environment"]["libraries"]["torch"] = "1.0"
        self.write([json.dumps(head).encode() + b"\n", *cases])
        result = self.resume()
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertIn(f"torch: {ours}, was 1.0; --force continues", result.stderr)
        self.assertEqual(len(self.lines()), 2)
        self.assertEqual(self.resume("--force").returncode, 0)
        self.assert_whole()
        self.assertEqual(self.document()["conditions"]["resumed_with"], f"torch: {ours}, was 1.0")

    def test_a_line_that_a_power_failure_broke_costs_its_case_and_nothing_else(self):
        for broken in (b'{"kind":"case","id":"synth', b'{"kind":"case","id":"x\0\0\n', b"\0" * 5000 + b"\n"):
            self.out += "x"
            self.journal = os.path.join(self.out, "cases.jsonl")
            self.begin(2)
            self.write([*self.lines(), broken])
            self.assertEqual(bench("report", self.out).returncode, 0)
            result = self.resume()
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assert_whole()
            self.assertEqual(len(self.lines()), 7)
            self.assertEqual(bench("report", self.journal).returncode, 0, "the journal itself is whole again")

    def test_what_a_killed_part_measured_is_shown_although_an_earlier_part_had_ended(self):
        slow = ["--duration", "100:105:+1", "--steps", "10"]
        self.assertEqual(bench(*RUN, *slow, "--out", self.out).returncode, 0)
        self.write(self.lines()[:2])  # as if the other rows had had to be measured again
        resumed = subprocess.Popen([BENCH, "run", "--quiet", "--resume", self.out])
        deadline = time.monotonic() + 60
        while len(self.lines()) < 3 and time.monotonic() < deadline:
            time.sleep(0.02)
        resumed.kill()
        resumed.wait()
        shown = bench("report", self.out, "--format", "json")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        document = json.loads(shown.stdout)
        self.assertFalse(document["run"]["complete"])
        self.assertEqual(len(document["cases"]), len(self.lines()) - 1)
        self.assertLess(len(document["cases"]), 6)
        self.assertFalse(os.path.exists(os.path.join(self.out, "report.md")), "of all of them")

    def test_damage_in_the_middle_names_its_line_and_the_remedy(self):
        self.begin(3)
        header, first, second, third = self.lines()
        self.write([header, first, second[:50] + b"\n", third])
        result = self.resume()
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("line 3: not valid JSON", result.stderr)
        self.assertIn("taking that line out of the file costs one case", result.stderr)
        self.write([header, first, third])
        self.assertEqual(self.resume().returncode, 0)
        self.assertEqual(sorted(case["parameters"]["duration"] for case in self.document()["cases"]), [1, 2, 3, 4, 5, 6])

    def test_of_two_runs_begun_at_once_in_one_folder_one_is_refused(self):
        for attempt in range(8):
            out = f"{self.out}-{attempt}"
            runs = [subprocess.Popen([BENCH, "run", "synthetic", "--duration", duration, "--steps", "3", "--out", out],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for duration in "12"]
            errors = [run.communicate(timeout=60)[1] for run in runs]
            self.assertEqual(sorted(run.returncode for run in runs), [0, 2], errors)
            durations = []
            for name in ("plan.json", "run.json"):
                with open(os.path.join(out, name)) as file:
                    durations.append(json.load(file)["cases"][0]["parameters"]["duration"])
            self.assertEqual(durations[0], durations[1], "the plan is not that of the run")

    def test_a_folder_that_holds_no_run_is_left_as_it_is(self):
        os.mkdir(self.out)
        for content in ([], ["plan.json"]):
            for name in content:
                with open(os.path.join(self.out, name), "w") as file:
                    file.write("nonsense")
            result = self.resume()
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("there is no run to continue", result.stderr)
            self.assertEqual(os.listdir(self.out), content)


if __name__ == "__main__":
    unittest.main(verbosity=2)
