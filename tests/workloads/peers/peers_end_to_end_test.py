"""The Python peers as a person meets them. Usage: peers_end_to_end_test.py BENCH PYTHON

Skipped (77) where PYTHON lacks torch or safetensors: scripts/setup --peers installs them.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PYTHON = sys.argv.pop()
BENCH = os.path.abspath(sys.argv.pop())
TINY = "--d-model 32 --d-ff 64 --layers 2 --heads 4 --context 12 --batch 2 --vocabulary 61 --device cpu".split()


class Peers(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.out = os.path.join(self.temporary.name, "run")

    def tearDown(self):
        self.temporary.cleanup()

    def run_model(self, *options, code=0):
        return self.run_workload("model", *TINY, *options, code=code)

    def run_workload(self, *options, code=0):
        """The run's document."""
        environment = {**os.environ, "BENCH_PYTHON": PYTHON}
        result = subprocess.run([BENCH, "run", *options, "--json", "--out", self.out], timeout=1300,
                                capture_output=True, text=True, env=environment, check=False)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(sorted(os.listdir(self.out)), ["cases.jsonl", "logs", "plan.json", "report.md", "run.json"])
        return json.loads(result.stdout)

    def test_three_implementations_stand_in_one_table(self):
        document = self.run_model("--implementation", "eager,torch-eager,torch-compile", "--steps", "6",
                                  "--timeout", "1200s")
        self.assertEqual([(c["parameters"]["implementation"], c["status"], c.get("reason")) for c in document["cases"]],
                         [("eager", "ok", None), ("torch-eager", "ok", None), ("torch-compile", "ok", None)])
        for result in document["cases"]:
            self.assertTrue(result["check"]["items"])
            self.assertEqual([s["kind"] for s in result["samples"]], ["warm-up"] * 5 + ["measured"] * 6)
            self.assertEqual(result["phase_names"], ["forward", "backward", "optimizer"])
        compiled = [[s["value"] for s in c["summaries"] if s["metric"] == "compile"] for c in document["cases"]]
        self.assertEqual([len(values) for values in compiled], [0, 0, 1])
        self.assertGreater(compiled[2][0], max(s["host_ns"] for s in document["cases"][2]["samples"]))
        self.assertEqual(document["run"]["build_ids"]["torch_worker"], document["run"]["build_ids"]["bench"])
        self.assertEqual(document["conditions"]["torch_worker threads"], document["conditions"]["threads"])
        self.assertEqual(document["conditions"]["torch_worker denormals"], document["conditions"]["denormals"])

    def test_a_fault_in_the_python_implementation_gets_no_time(self):
        document = self.run_model("--implementation", "torch-eager", "--inject-fault", "zero-output", code=1)
        (result,) = document["cases"]
        self.assertEqual((result["status"], result["samples"]), ("incorrect", []))
        self.assertIn("check: ", result["reason"]["text"])

    def test_without_warm_up_the_check_comes_after_the_samples(self):
        document = self.run_model("--implementation", "torch-eager", "--warmup", "0", "--mode", "forward", "--steps", "3")
        (result,) = document["cases"]
        self.assertEqual(result["status"], "ok", result.get("reason"))
        self.assertEqual([item["what"] for item in result["check"]["items"]], ["logits"])
        self.assertEqual(result["first_step_ns"], result["samples"][0]["host_ns"])


    def test_compiled_attention_stands_beside_the_native_ones(self):
        small = "--batch 2 --heads 2 --d-head 16 --sequence 40 --keys 24 --causal bottom-right --device cpu".split()
        document = self.run_workload("attention", *small, "--implementation", "naive,torch-compile", "--mode",
                                     "backward", "--steps", "3", "--timeout", "1200s")
        self.assertEqual([(c["status"], c.get("reason")) for c in document["cases"]], [("ok", None)] * 2)
        for result in document["cases"][1:]:
            self.assertEqual(result["phase_names"], ["backward"])
            self.assertIn("O", [item["what"] for item in result["check"]["items"]])
            self.assertTrue(result["verification"]["items"])
            self.assertTrue(any(s["metric"] == "compile" for s in result["summaries"]))

    def test_a_fault_in_compiled_attention_gets_no_time(self):
        document = self.run_workload("attention", "--batch", "1", "--heads", "2", "--d-head", "8", "--sequence", "16",
                                     "--mode", "forward", "--implementation", "torch-compile", "--device", "cpu",
                                     "--inject-fault", "wrong-scale", "--timeout", "1200s", code=1)
        (result,) = document["cases"]
        self.assertEqual((result["status"], result["samples"]), ("incorrect", []))


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
