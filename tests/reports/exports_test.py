"""The programs that the exports are for read them. Usage: exports_test.py BENCH [PYTHON]

compare.py comes from Debian's libbenchmark-tools and needs SciPy; nvbench's scripts come from PyPI's cuda-bench with
colorama, jsondiff, numpy and tabulate, and are looked for in PYTHON. What is missing is skipped."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
ARGUMENTS, sys.argv = sys.argv[1:], sys.argv[:1]
BENCH = os.path.abspath(ARGUMENTS[0])
NVBENCH_PYTHON = ARGUMENTS[1] if len(ARGUMENTS) > 1 else sys.executable
COMPARE = "/usr/share/benchmark/compare.py"
EXAMPLES = os.path.join(ROOT, "reports", "schema", "examples")


def works(*command):
    try:
        return subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    except OSError:
        return False


class Exports(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.temporary.cleanup()

    def exported(self, example, name, factor=1.0):
        """The example with every sample `factor` times as long, in the format `name`, as a file."""
        with open(os.path.join(EXAMPLES, example)) as file:
            run = json.load(file)
        for case in run["cases"]:
            for sample in case["samples"]:
                for member in ("host_ns", "device_ns"):
                    if member in sample:
                        sample[member] = round(sample[member] * factor)
            for summary in case["summaries"]:
                if summary["metric"] == "step":
                    summary["value"] *= factor
        path = os.path.join(self.temporary.name, f"run-{factor}.json")
        with open(path, "w") as file:
            json.dump(run, file)
        out = os.path.join(self.temporary.name, f"{name}-{factor}.json")
        subprocess.run([BENCH, "report", path, "--format", name, "--output", out], check=True, timeout=60)
        return out

    @unittest.skipUnless(os.path.exists(COMPARE) and works(sys.executable, "-c", "import scipy"),
                         "compare.py or SciPy is missing: apt-get install libbenchmark-tools python3-scipy")
    def test_compare_py_prints_changes_and_its_u_test(self):
        done = subprocess.run(
            [sys.executable, COMPARE, "--no-color", "benchmarks",
             self.exported("model-cpu.json", "google-benchmark"),
             self.exported("model-cpu.json", "google-benchmark", 1.5)],
            capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line for line in done.stdout.splitlines() if line.startswith("model/size:small/")]
        self.assertTrue(any("+0.5000" in row for row in rows), done.stdout)
        self.assertTrue(any("_pvalue" in row and "U Test, Repetitions: 10 vs 10" in row for row in rows),
                        done.stdout)

    @unittest.skipUnless(os.path.exists(COMPARE) and works(sys.executable, "-c", "import scipy"),
                         "compare.py or SciPy is missing: apt-get install libbenchmark-tools python3-scipy")
    def test_compare_py_joins_each_process_with_the_same_one(self):
        done = subprocess.run(
            [sys.executable, COMPARE, "--no-color", "benchmarks",
             self.exported("model-cuda.json", "google-benchmark"),
             self.exported("model-cuda.json", "google-benchmark", 1.5)],
            capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        tests = [line.split()[0] for line in done.stdout.splitlines() if "U Test, Repetitions: 10 vs 10" in line]
        headlines = [name for name in tests if "/metric:" not in name]
        self.assertEqual(len(headlines), 2, done.stdout)
        self.assertTrue(headlines[1].endswith("/process:1_pvalue"), headlines)

    @unittest.skipUnless(works(NVBENCH_PYTHON, "-c",
                               "import colorama, jsondiff, numpy, tabulate, importlib.util as u; "
                               "assert u.find_spec('cuda.bench.scripts.nvbench_compare')"),
                         f"nvbench's scripts are missing: {NVBENCH_PYTHON} -m pip install --no-deps cuda-bench, "
                         "and colorama jsondiff numpy tabulate")
    def test_nvbench_compare_sees_a_slow_state(self):
        path = subprocess.run(
            [NVBENCH_PYTHON, "-c", "import importlib.util as u; print(u.find_spec('cuda').submodule_search_locations[0])"],
            capture_output=True, text=True).stdout.strip()
        done = subprocess.run(
            [NVBENCH_PYTHON, os.path.join(path, "bench", "scripts", "nvbench_compare.py"), "--no-color",
             self.exported("model-cuda.json", "nvbench"), self.exported("model-cuda.json", "nvbench", 1.5)],
            capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 2, done.stderr)  # the number of slow states
        self.assertIn("50.0", done.stdout)
        self.assertIn("SLOW", done.stdout)

    def test_github_action_benchmark_gets_what_it_requires(self):
        for name, units in (("github-action-benchmark", {"ns", "bytes"}),
                            ("github-action-benchmark-rates", {"tokens/s", "FLOP/s"})):
            with open(self.exported("model-cpu.json", name)) as file:
                entries = json.load(file)
            self.assertEqual({entry["unit"] for entry in entries}, units)
            for entry in entries:
                self.assertIsInstance(entry["name"], str)
                self.assertIsInstance(entry["value"], (int, float))
            self.assertEqual(len({entry["name"] for entry in entries}), len(entries))

    def test_latex_is_set_by_tex(self):
        text = subprocess.run([BENCH, "report", os.path.join(EXAMPLES, "model-cpu.json"), "--format", "latex"],
                              capture_output=True, text=True, check=True).stdout
        table = text[text.index("\\toprule"):text.index("\\bottomrule")]
        columns = text[text.index("{tabular}{") + len("{tabular}{"):].split("}")[0]
        rows = [line for line in table.splitlines() if line.endswith("\\\\")]
        self.assertEqual(len(rows), 1 + 5)
        for row in rows:
            self.assertEqual(row.replace("\\&", "").count("&") + 1, len(columns), row)
        for forbidden in ("±", "µ", "|", "<"):
            self.assertNotIn(forbidden, table)


if __name__ == "__main__":
    unittest.main()
