"""bench compare as a person meets it: exit codes, files, refusals. No worker runs. Usage: ... BENCH"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
BENCH = os.path.abspath(sys.argv.pop())
EXAMPLE = os.path.join(ROOT, "reports", "schema", "examples", "model-cpu.json")


class CompareCommand(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.base = self.written("base.json", lambda run: None)

    def tearDown(self):
        self.temporary.cleanup()

    def written(self, name, alter):
        """The example, altered, as a file."""
        with open(EXAMPLE) as file:
            run = json.load(file)
        run["run"]["label"] = ""
        alter(run)
        path = os.path.join(self.temporary.name, name)
        with open(path, "w") as file:
            json.dump(run, file)
        return path

    def compare(self, *arguments):
        return subprocess.run([BENCH, "compare", *arguments], capture_output=True, text=True, timeout=60)

    def slower(self, factor):
        def alter(run):
            for case in run["cases"]:
                for sample in case["samples"]:
                    sample["host_ns"] = round(sample["host_ns"] * factor)
                    sample["phase_ns"] = [round(ns * factor) for ns in sample["phase_ns"]]
                for summary in case["summaries"]:
                    for name in ("value", "low", "high"):
                        if summary["unit"] == "ns" and name in summary:
                            summary[name] *= factor
        return self.written("slower.json", alter)

    def test_a_regression_exits_with_3_only_when_asked(self):
        other = self.slower(2)
        self.assertEqual(self.compare(self.base, other).returncode, 0)
        done = self.compare(self.base, other, "--fail-on", "slower")
        self.assertEqual(done.returncode, 3)
        self.assertIn("size:small", done.stderr)
        self.assertIn("is slower: step takes 2 times as long", done.stderr)
        self.assertIn("| slower |", done.stdout)
        self.assertEqual(self.compare(self.base, other, "--fail-on", "memory").returncode, 0)
        self.assertEqual(self.compare(other, self.base, "--fail-on", "slower,memory").returncode, 0)

    def test_undecided_exits_with_4_under_strict(self):
        other = self.slower(1.01)
        self.assertEqual(self.compare(self.base, other).returncode, 0)
        done = self.compare(self.base, other, "--strict")
        self.assertEqual(done.returncode, 4)
        self.assertIn("--repeat 5", done.stdout)
        # A regression counts more.
        self.assertEqual(self.compare(self.base, self.slower(2), "--strict", "--fail-on", "slower").returncode, 3)

    def test_one_byte_more_is_a_regression_of_memory(self):
        def alter(run):
            for summary in run["cases"][0]["summaries"]:
                if summary["metric"] == "peak_allocated":
                    summary["value"] += 1
        done = self.compare(self.base, self.written("other.json", alter), "--fail-on", "memory")
        self.assertEqual(done.returncode, 3)
        self.assertIn("peak_allocated grew from 2610000000 to 2610000001", done.stderr)

    def test_a_missing_case_exits_with_3_or_under_strict_with_4(self):
        other = self.written("other.json", lambda run: run["cases"].pop(1))
        self.assertEqual(self.compare(self.base, other).returncode, 0)
        for option, code in (("--fail-on=bytes", 3), ("--strict", 4)):
            done = self.compare(self.base, other, option)
            self.assertEqual(done.returncode, code)
            self.assertIn("was ok in the base and is missing", done.stderr)

    def test_filters_choose_cases_of_both_sides(self):
        done = self.compare(self.base, self.base, "--filter", "size:small/", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("size:small/", done.stdout)
        self.assertNotIn("size:large/", done.stdout)
        done = self.compare(self.base, self.base, "--exclude", "size:small/", "--format", "json")
        self.assertNotIn("size:small/", done.stdout)
        done = self.compare(self.base, self.base, "--filter", "size:huge")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, f"bench: --filter and --exclude leave no case of {self.base}\n")
        self.assertEqual(self.compare(self.base, self.base, "--filter", "(").returncode, 2)

    def test_three_files_make_one_table(self):
        done = self.compare(self.base, self.slower(2), self.base, "--format", "markdown")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(sum(line.startswith("| :---") for line in done.stdout.splitlines()), 1)

    def test_json_and_csv_go_to_files(self):
        out = os.path.join(self.temporary.name, "out.json")
        self.assertEqual(self.compare(self.base, self.slower(2), "--format", "json", "--output", out).stdout, "")
        with open(out) as file:
            sides = json.load(file)["cases"][0]["sides"]
        self.assertEqual(sides[0]["verdict"], "slower")
        self.assertAlmostEqual(sides[0]["ratio"], 2, places=2)
        done = self.compare(self.base, self.slower(2), "--format", "csv")
        self.assertTrue(done.stdout.startswith("case_id,metric,base,"))

    def test_other_conditions_are_refused(self):
        def alter(run):
            run["conditions"]["OMP_NUM_THREADS"] = "4"
        other = self.written("other.json", alter)
        done = self.compare(self.base, other)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("OMP_NUM_THREADS is 2 in base.json and 4 in other.json", done.stderr)
        forced = self.compare(self.base, other, "--despite-differences")
        self.assertEqual(forced.returncode, 0)
        self.assertIn("warning: OMP\\_NUM\\_THREADS is 2".replace("\\", ""), forced.stdout.replace("\\", ""))

    def test_what_cannot_be_is_a_usage_error_of_one_line(self):
        for arguments in ([self.base], [self.base, "nowhere"], [self.base, self.base, "--threshold", "1"],
                          [self.base, self.base, "--fail-on", "slow"],
                          [self.base, self.base, "--fail-on", ""], [self.base, self.base, "--fail-on="], [self.base, self.base, "--format", "jsn"],
                          [self.base, self.base, "--metric", "stp"], [self.base, self.base, "--strct"]):
            done = self.compare(*arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)

    def test_output_overwrites_no_run_that_is_read(self):
        """By its path, through links, or as a file of a run's folder, one that is not there yet included."""
        def path(*parts):
            return os.path.join(self.temporary.name, *parts)
        other = self.written("other.json", lambda run: None)
        os.mkdir(path("run"))
        self.written("run/run.json", lambda run: None)
        os.symlink("run", path("latest"))
        os.symlink(self.base, path("soft.json"))
        os.link(self.base, path("hard.json"))
        commands = [
            ["report", self.base, "--output", self.base],
            ["report", self.base, "--output", path("soft.json")],
            ["report", path("soft.json"), "--output", self.base],
            ["report", self.base, "--output", path("hard.json")],
            ["report", path("run"), "--output", path("run", "run.json")],
            ["report", path("latest"), "--output", path("run", "cases.jsonl")],
            ["report", path("run", "run.json"), "--output", path("latest", "plan.json")],
            ["compare", other, self.base, "--output", self.base],
        ]
        for command in commands:
            with open(self.base) as base, open(path("run", "run.json")) as run:
                before = base.read(), run.read()
            done = subprocess.run([BENCH, *command], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2, command)
            self.assertIn("would overwrite the run that is read from", done.stderr)
            with open(self.base) as base, open(path("run", "run.json")) as run:
                self.assertEqual((base.read(), run.read()), before, command)
        self.assertEqual(sorted(os.listdir(path("run"))), ["run.json"])
        for output in (path("run", "report.md"), path("run.json"), "/dev/null"):
            done = subprocess.run([BENCH, "report", path("run"), "--output", output], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
