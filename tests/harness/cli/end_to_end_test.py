"""bench as a person meets it: real processes, real files, real signals. Usage: end_to_end_test.py BENCH"""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
BENCH = os.path.abspath(sys.argv.pop())
TINY = "--d-model 64 --d-ff 256 --layers 2 --heads 4 --context 32 --batch 2 --vocabulary 500".split()


def bench(*arguments, **options):
    return subprocess.run([BENCH, *arguments], capture_output=True, text=True, timeout=120, **options)


def read(path):
    with open(path) as file:
        return file.read()


def processes_of(folder):
    """Workers whose log lies in `folder`: /proc shows where their standard output goes."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/fd/1").startswith(folder) and read(f"/proc/{pid}/stat").split()[2] != "Z":
                found.append(int(pid))
        except OSError:
            pass
    return found


def wait_until(condition, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


class EndToEnd(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.out = os.path.join(os.path.realpath(self.temporary.name), "run")

    def tearDown(self):
        self.temporary.cleanup()

    def document(self):
        return json.loads(read(os.path.join(self.out, "run.json")))

    def start_hanging(self):
        """A run of two cases whose second hangs, with its first finished; returns process and worker pid."""
        run = subprocess.Popen([BENCH, "run", "synthetic", "--behaviour", "sleep,hang", "--out", self.out],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        journal = os.path.join(self.out, "cases.jsonl")
        self.assertTrue(wait_until(lambda: os.path.exists(journal) and read(journal).count("\n") == 2))
        self.assertTrue(wait_until(lambda: processes_of(self.out)))
        return run, processes_of(self.out)[0]

    # ---- what a run records of its surroundings ------------------------------------------------------------------

    def test_the_threads_of_the_record_are_those_that_a_parallel_region_gets(self):
        result = bench("run", "synthetic", "--out", self.out, env={**os.environ, "OMP_THREAD_LIMIT": "1"})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.document()["conditions"]["threads"], "1")
        self.assertIn("- `OMP_THREAD_LIMIT=1`", read(os.path.join(self.out, "report.md")))

    def test_another_arithmetic_is_neither_compared_nor_resumed_silently(self):
        self.assertEqual(bench("run", "synthetic", "--out", self.out).returncode, 0)
        other = self.out + "-other"
        compatible = {**os.environ, "MKL_CBWR": "COMPATIBLE"}
        self.assertEqual(bench("run", "synthetic", "--out", other, env=compatible).returncode, 0)
        compared = bench("compare", self.out, other)
        self.assertEqual(compared.returncode, 2)
        self.assertIn("MKL_CBWR is not set in run and COMPATIBLE in run-other", compared.stderr)
        forced = bench("compare", self.out, other, "--despite-differences")
        self.assertIn("MKL_CBWR is not set in run and COMPATIBLE in run-other", forced.stdout)
        journal = os.path.join(self.out, "cases.jsonl")
        lines = read(journal).splitlines(keepends=True)
        with open(journal, "w") as file:
            file.writelines(lines[:1])  # as if nothing had been measured yet
        os.remove(os.path.join(self.out, "run.json"))
        resumed = bench("run", "--resume", self.out, env=compatible)
        self.assertEqual(resumed.returncode, 2)
        self.assertIn("MKL_CBWR: COMPATIBLE, was not set", resumed.stderr)

    # ---- a run that goes well -----------------------------------------------------------------------------------

    def test_model_run_prints_a_table_and_leaves_a_run_directory(self):
        result = bench("run", "model", *TINY, "--steps", "6", "--warmup", "3", "--device", "cpu", "--out", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("tokens/s", result.stdout)
        self.assertEqual(sorted(os.listdir(self.out)), ["cases.jsonl", "logs", "plan.json", "report.md", "run.json"])
        document = self.document()
        self.assertTrue(document["run"]["complete"])
        (case,) = document["cases"]
        self.assertEqual(case["status"], "ok")
        self.assertEqual([a["per_step"] for a in case["work"]["amounts"] if a["metric"] == "tokens"], [64])
        kinds = [sample["kind"] for sample in case["samples"]]
        self.assertEqual(kinds, ["warm-up"] * 3 + ["measured"] * 6)
        self.assertGreater(case["memory"]["peak_allocated_bytes"], case["memory"]["before_bytes"])
        for phase in ("forward", "backward", "optimizer"):
            self.assertIn(phase, case["phase_names"])

    def test_json_on_stdout_is_the_document(self):
        result = bench("run", "model", *TINY, "--mode", "forward", "--steps", "3", "--json", "--out", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout), self.document())

    @unittest.skipIf(jsonschema is None, "python3-jsonschema is missing")
    def test_every_run_is_true_to_the_schema(self):
        schema = json.loads(read(os.path.join(ROOT, "reports", "schema", "run.schema.json")))
        validator = jsonschema.Draft202012Validator(schema)
        for name, words in (
            ("model", ["run", "model", *TINY, "--mode", "forward,train-step", "--steps", "6", "--label", "a|b\n<script>"]),
            ("statuses", ["run", "synthetic", "--preset", "demo", "--timeout", "1s"]),
            ("warm-up", ["run", "synthetic", "--warmup", "0,1", "--timing", "blocking,back-to-back", "--cache", "cold"]),
        ):
            result = bench(*words, "--json", "--out", self.out + name)
            self.assertIn(result.returncode, (0, 1), result.stderr)
            errors = [f"{list(e.absolute_path)}: {e.message}" for e in validator.iter_errors(json.loads(result.stdout))]
            self.assertEqual(errors, [], name)

    def test_report_shows_a_run_again_in_every_format(self):
        bench("run", "synthetic", "--out", self.out)
        for format in ("markdown", "csv", "json"):
            result = bench("report", self.out, "--format", format)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("sleep", result.stdout)
        self.assertEqual(bench("report", self.out).stdout, read(os.path.join(self.out, "report.md")))

    def test_standalone_worker_runs_one_case(self):
        worker = os.path.join(os.path.dirname(BENCH), "bench-worker")
        case = "model/size:custom/d-model:32/d-ff:64/layers:1/heads:2/vocabulary:100/context:16/batch:2"
        result = subprocess.run([worker, "--case", case, "--steps", "3"], capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr)
        events = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual(events[0]["event"], "hello")
        measured = [s for e in events if e["event"] == "samples" for s in e["samples"] if s["kind"] == "measured"]
        self.assertEqual(len(measured), 3)
        with open("/dev/full", "w") as full:
            lost = subprocess.run([worker, "--case", case, "--steps", "3"], stdout=full, stderr=subprocess.PIPE, text=True,
                                  timeout=120)
        self.assertEqual((lost.returncode, lost.stderr), (5, "bench-worker: standard output could not be written\n"))

    # ---- every way a case can end -------------------------------------------------------------------------------

    def test_every_status_is_a_row_and_the_sweep_goes_on(self):
        result = bench("run", "synthetic", "--preset", "demo", "--timeout", "2s", "--out", self.out)
        self.assertEqual(result.returncode, 1, result.stderr)
        by_behaviour = {c["parameters"]["behaviour"]: c for c in self.document()["cases"]}
        expected = {"sleep": "ok", "drift": "ok", "allocate": "out_of_memory", "unsupported": "skipped",
                    "fail-in-setup": "failed", "fail": "failed", "crash": "crashed", "hang": "timed_out",
                    "wrong-result": "incorrect", "wrong-after": "incorrect"}
        self.assertEqual({name: case["status"] for name, case in by_behaviour.items()}, expected)
        for name, case in by_behaviour.items():
            if case["status"] == "ok":
                self.assertTrue(case["samples"])
            else:
                self.assertTrue(case["reason"], name)
            if case["status"] == "incorrect":
                self.assertEqual(case["samples"], [], "a wrong result got a time")

    def test_out_of_memory_is_a_result_not_a_failure(self):
        self.assertEqual(bench("run", "synthetic", "--behaviour", "allocate", "--bytes", "1TiB", "--out", self.out).returncode, 0)

    def test_memory_limit_makes_a_model_too_large(self):
        result = bench("run", "model", *TINY, "--memory-limit", "1MiB", "--out", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.document()["cases"][0]["status"], "out_of_memory")

    def test_memory_limit_beyond_the_machine_is_said_to_be_cut(self):
        result = bench("run", "synthetic", "--duration", "1", "--steps", "3", "--memory-limit", "1000000GiB",
                       "--device", "cpu", "--out", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"--memory-limit 1000000GiB: cpu has [\d.,]+ [GM]iB for a case, and that is the limit")

    def test_memory_limit_holds_for_the_case_and_not_for_its_check(self):
        # The check holds several models in fp64; the case itself peaks at about 3.2 MiB.
        result = bench("run", "model", *TINY, "--mode", "forward", "--memory-limit", "5MiB", "--out", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.document()["cases"][0]["status"], "ok", self.document()["cases"][0].get("reason"))

    def test_standard_streams_may_be_closed_or_full(self):
        for redirection, code in (("2>/dev/full", 0), ("2>&-", 0), ("0<&- 2>&-", 0), (">&- 2>&-", 5), ("--json >&-", 5)):
            self.out += "x"
            command = f"exec '{BENCH}' run synthetic --duration 100,200 --out '{self.out}' {redirection}"
            result = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60)
            self.assertEqual(result.returncode, code, redirection)
            self.assertEqual(len(read(os.path.join(self.out, "cases.jsonl")).splitlines()), 3, redirection)

    def test_report_output_leaves_a_device_a_device(self):
        bench("run", "synthetic", "--out", self.out)
        link = self.out + "-null"
        os.symlink("/dev/null", link)
        self.assertEqual(bench("report", self.out, "--output", link).returncode, 0)
        self.assertTrue(os.path.islink(link))
        self.assertTrue(os.path.exists("/dev/null") and not os.path.isfile("/dev/null"))

    def test_unknown_fault_is_a_usage_error(self):
        for words, part in ((["--inject-fault", "zero-ouput"], "did you mean zero-output?"),
                            (["--inject-fault", "stale-output"], "needs --mode forward")):
            result = bench("run", "model", *TINY, *words, cwd=self.temporary.name)
            self.assertEqual(result.returncode, 2)
            self.assertIn(part, result.stderr)
            self.assertEqual(os.listdir(self.temporary.name), [])

    def test_when_every_case_is_skipped_the_environment_is_at_fault(self):
        result = bench("run", "synthetic", "--behaviour", "unsupported", "--out", self.out)
        self.assertEqual(result.returncode, 5)
        self.assertIn("every case was skipped", result.stderr)

    def test_injected_fault_is_caught_and_gets_no_time(self):
        result = bench("run", "model", *TINY, "--inject-fault", "zero-output", "--out", self.out)
        self.assertEqual(result.returncode, 1, result.stderr)
        (case,) = self.document()["cases"]
        self.assertEqual((case["status"], case["samples"]), ("incorrect", []))

    # ---- killed, interrupted, full -------------------------------------------------------------------------------

    def test_killed_worker_is_a_crashed_row(self):
        run, worker = self.start_hanging()
        os.kill(worker, signal.SIGKILL)
        self.assertEqual(run.wait(30), 1)
        run.communicate()
        cases = self.document()["cases"]
        self.assertEqual([case["status"] for case in cases], ["ok", "crashed"])
        self.assertIn("signal 9", cases[1]["reason"]["text"])

    def test_killed_bench_leaves_its_finished_cases_and_no_process(self):
        run, worker = self.start_hanging()
        run.kill()
        run.communicate()
        self.assertTrue(wait_until(lambda: not processes_of(self.out)), "a worker outlived bench")
        self.assertFalse(os.path.exists(os.path.join(self.out, "run.json")))
        report = bench("report", self.out, "--format", "json")
        self.assertEqual(report.returncode, 0, report.stderr)
        document = json.loads(report.stdout)
        self.assertFalse(document["run"]["complete"])
        self.assertEqual([case["status"] for case in document["cases"]], ["ok"])

    def test_interrupts_keep_the_results(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            self.out += "x"
            run, worker = self.start_hanging()
            run.send_signal(number)
            time.sleep(0.02)
            run.send_signal(number)  # timeout(1) signals the process, then its group
            stdout, stderr = run.communicate(timeout=30)
            self.assertEqual(run.returncode, code, stderr)
            self.assertIn("interrupted after 1 of 2 cases", stderr)
            self.assertIn("sleep", stdout)
            self.assertTrue(wait_until(lambda: not processes_of(self.out)))
            document = self.document()
            self.assertFalse(document["run"]["complete"])
            self.assertEqual(len(document["cases"]), 1)

    def test_full_disk_says_so_and_prints_what_was_measured(self):
        # A file-size limit fails write() as a full disk does. Three cases do not fit into it.
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000))
        result = bench("run", "synthetic", "--duration", "100,200,300,400,500,600,700,800", "--out", self.out, preexec_fn=limit)
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn(f"{self.out}/cases.jsonl could not be written: File too large; once it can be written, "
                      f"`bench run --resume {self.out}` continues it", result.stderr)
        self.assertIn("tokens/s", result.stdout)
        report = bench("report", self.out, "--format", "json")
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertGreaterEqual(len(json.loads(report.stdout)["cases"]), 1)
        self.assertEqual(bench("run", "--resume", self.out).returncode, 0)
        self.assertEqual(len(self.document()["cases"]), 8)

    def test_standard_output_that_is_full_is_an_error_and_the_files_are_there(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([BENCH, "run", "synthetic", "--out", self.out], stdout=full, stderr=subprocess.PIPE,
                                    text=True, timeout=60)
        self.assertEqual(result.returncode, 5)
        self.assertIn("standard output could not be written: No space left on device; the results are kept, and "
                      f"`bench report {self.out}` prints them", result.stderr)
        self.assertEqual(self.document()["cases"][0]["status"], "ok")

    OUTPUTS = ("list", "list --json", "env", "report {out}", "compare {out} {out}", "--help", "--version",
               "completion bash", "run synthetic --dry-run")

    def test_no_command_loses_its_output_silently(self):
        bench("run", "synthetic", "--out", self.out)
        for words in self.OUTPUTS:
            for redirection, why in ((">&-", "it is closed"), (">/dev/full", "No space left on device")):
                result = subprocess.run(["sh", "-c", f"exec '{BENCH}' {words.format(out=self.out)} {redirection}"],
                                        capture_output=True, text=True, timeout=60)
                self.assertEqual(result.returncode, 5, f"{words} {redirection}: {result.stderr}")
                self.assertEqual(result.stderr, f"bench: standard output could not be written: {why}\n")

    def test_a_reader_that_has_read_all_it_wanted_is_no_failure(self):
        bench("run", "synthetic", "--out", self.out)
        reader, without_reader = os.pipe()
        os.close(reader)
        self.addCleanup(os.close, without_reader)
        for words in self.OUTPUTS:
            result = subprocess.run([BENCH, *words.format(out=self.out).split()], stdout=without_reader,
                                    stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual((result.returncode, result.stderr), (0, ""), words)

    def test_a_worker_on_a_processor_that_is_not_there_names_the_variable(self):
        absent = str(os.cpu_count() + 5)
        result = bench("run", "synthetic", "--out", self.out, env={**os.environ, "GOMP_CPU_AFFINITY": absent})
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn("its last words: libgomp: Thread creation failed: Invalid argument; "
                      f"GOMP_CPU_AFFINITY={absent} names processors", result.stderr)

    def test_out_is_never_overwritten(self):
        os.mkdir(self.out)
        with open(os.path.join(self.out, "precious"), "w") as file:
            file.write("x")
        result = bench("run", "synthetic", "--out", self.out)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(os.listdir(self.out), ["precious"])

    def test_out_that_cannot_be_made(self):
        result = bench("run", "synthetic", "--out", "/proc/no-such/run")
        self.assertEqual(result.returncode, 5)
        self.assertIn("--out", result.stderr)

    # ---- bad input: exit 2 or 5, one sentence, nothing run ---------------------------------------------------------

    def test_bad_input_is_one_helpful_sentence(self):
        for words, code, part in (
            ("run modle", 2, "did you mean model?"),
            ("run model --contxt 5", 2, "did you mean --context?"),
            ("run model --mode forwrd", 2, "did you mean forward?"),
            ("run model --size smal", 2, "did you mean small?"),
            ("run model --preset sed", 2, "did you mean seed?"),
            ("run model --batch 0", 2, "below 1"),
            ("run model --context -5", 2, "below 1"),
            ("run model --layers 99999999999999999999", 2, "whole number"),
            ("run model --layers 1e3", 2, "whole number"),
            ("run model --d-model 770 --heads 12", 2, "768 and 792"),
            ("run model --d-model 60 --heads 4", 2, "odd"),
            ("run model --steps 0", 2, "--steps"),
            ("run model --time-budget soon", 2, "--time-budget"),
            ("run model --timeout 0s", 2, "--timeout"),
            ("run model --memory-limit 1M", 2, "1MB or 1MiB?"),
            ("run model --device tpu:0", 2, "--device"),
            ("run model --lr nan", 2, "--lr"),
            ("run model --context 1,2,3,4,5,6,7,8,9,10,11 --batch 1,2,3,4,5,6,7,8,9,10,11", 2, "--max-cases"),
            ("report no/such/run", 2, "no/such/run"),
            ("report --format xml", 2, "unknown format"),
            ("list (", 2, "regular expression"),
            ("frobnicate", 2, "there is no command"),
        ):
            result = bench(*words.split(), cwd=self.temporary.name)
            self.assertEqual(result.returncode, code, f"{words}: {result.stderr}")
            self.assertIn(part, result.stderr, words)
            self.assertEqual(result.stderr.count("\n"), 1, f"{words} took more than a sentence: {result.stderr}")
            self.assertEqual(os.listdir(self.temporary.name), [], f"{words} left something behind")

    @unittest.skipIf(os.path.isdir("/proc/driver/nvidia/gpus"), "this machine has a GPU")
    def test_cuda_without_a_gpu(self):
        result = bench("run", "model", *TINY, "--device", "cuda", "--out", self.out)
        self.assertEqual(result.returncode, 5)
        self.assertIn("no NVIDIA GPU", result.stderr)

    def test_list_and_env_answer_without_libtorch(self):
        for words in (["list"], ["list", "--json"], ["env"], ["env", "--json"], ["--help"], ["run", "model", "--help"]):
            result = bench(*words)
            self.assertEqual(result.returncode, 0, result.stderr)
            if "--json" in words:
                json.loads(result.stdout)
        self.assertEqual(bench("list", "no-such-thing-at-all").returncode, 2)

    def test_list_keeps_names_apart_from_what_they_mean(self):
        for line in bench("list").stdout.splitlines():
            if line.startswith("  --"):
                self.assertRegex(line, r"^  --(preset )?[\w-]+  +\S")


if __name__ == "__main__":
    unittest.main(verbosity=2)
