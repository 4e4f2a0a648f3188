"""Cases on several ranks of this machine, and what becomes of them when a rank does not do its part.
Usage: ranks_test.py BENCH"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BENCH = os.path.abspath(sys.argv.pop())


def workers_of(folder):
    """Living processes whose standard output goes to a log in `folder`, by the log's name."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
            log = os.readlink(f"/proc/{pid}/fd/1")
        except OSError:
            continue
        if log.startswith(folder) and state != "Z":
            found[os.path.basename(log)] = int(pid)
    return found


def wait_until(what, limit_s=30):
    """What `what` gives once that is true."""
    end = time.monotonic() + limit_s
    while not (result := what()):
        if time.monotonic() > end:
            raise AssertionError("waited in vain")
        time.sleep(0.02)
    return result


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = os.path.join(folder.name, "run")

    def command(self, *arguments):
        return [BENCH, "run", "synthetic", "--device", "cpu", "--out", self.out, *arguments]

    def run_bench(self, *arguments):
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=60)
        self.assertEqual(workers_of(self.out), {}, "no process is left")
        return done.returncode

    def cases(self):
        with open(f"{self.out}/run.json") as file:
            return json.load(file)["cases"]

    def logs(self):
        texts = {}
        for name in os.listdir(f"{self.out}/logs"):
            with open(f"{self.out}/logs/{name}") as file:
                texts[name] = file.read()
        return texts


class SeveralRanks(Runs):
    def test_every_rank_takes_every_sample(self):
        self.assertEqual(self.run_bench("--ranks", "1,2,4", "--steps", "6"), 0)
        self.assertEqual([case["status"] for case in self.cases()], ["ok"] * 3)
        for case, ranks in zip(self.cases(), [1, 2, 4]):
            by_rank = [[s for s in case["samples"] if s["rank"] == rank] for rank in range(ranks)]
            self.assertEqual([len(samples) for samples in by_rank], [11] * ranks)
            self.assertEqual(len(case["samples"]), 11 * ranks)

    def test_no_rank_begins_a_sample_before_all_have_ended_the_one_before(self):
        self.assertEqual(self.run_bench("--ranks", "2", "--steps", "20", "--noise", "50"), 0)
        case, = self.cases()
        of_0, of_1 = ([s for s in case["samples"] if s["rank"] == rank] for rank in (0, 1))
        for before, after in zip(zip(of_0, of_1), list(zip(of_0, of_1))[1:]):
            ends = [sample["begin_ns"] + sample["host_ns"] for sample in before]
            self.assertLessEqual(max(ends), min(sample["begin_ns"] for sample in after))

    def test_a_step_lasts_as_long_as_its_slowest_rank(self):
        self.assertEqual(self.run_bench("--ranks", "2", "--steps", "9"), 0)
        case, = self.cases()
        of_0, of_1 = ([s["host_ns"] for s in case["samples"] if s["rank"] == rank and s["kind"] == "measured"]
                      for rank in (0, 1))
        step = next(summary for summary in case["summaries"] if summary["metric"] == "step")
        self.assertEqual(step["value"], sorted(map(max, of_0, of_1))[4])

    def test_ranks_that_end_in_order_print_nothing(self):
        self.run_bench("--ranks", "2", "--steps", "3")
        self.assertEqual(self.logs(), {"bench-worker-1-rank-0.log": "", "bench-worker-1-rank-1.log": ""})


class Supervision(Runs):
    def after_the_first(self, *behaviour):
        """Of three cases the middle one behaves so on rank 1 of 2, in the third measured step."""
        code = self.run_bench("--behaviour", f"sleep,{behaviour[0]}", "--ranks", "2", "--on-rank", "1", "--at", "8",
                              "--steps", "5", "--timeout", "3s", "--repeat", "2", *behaviour[1:])
        self.assertEqual(code, 1)
        first, struck, third, again = self.cases()
        self.assertEqual([first["status"], third["status"]], ["ok", "ok"], "the sweep goes on with fresh workers")
        self.assertEqual(struck["status"], again["status"])
        return struck["status"], struck["reason"]["text"]

    def test_a_rank_that_crashes_is_named_with_phase_and_operation(self):
        status, reason = self.after_the_first("crash")
        self.assertEqual(status, "crashed")
        self.assertRegex(reason, r"samples: .*rank 1 was killed by signal 11 .* in samples: step \(its operation")

    def test_a_rank_that_exits_is_named(self):
        status, reason = self.after_the_first("exit")
        self.assertEqual(status, "crashed")
        self.assertRegex(reason, r"rank 1 exited with code 0, in samples: step")

    def test_a_rank_that_raises_is_the_cause_and_not_those_who_lost_it(self):
        self.assertEqual(self.after_the_first("fail"), ("failed", "rank 1: samples: failed on request in step 8"))

    def test_the_late_rank_is_named_when_time_is_over(self):
        status, reason = self.after_the_first("hang")
        self.assertEqual(status, "timed_out")
        self.assertRegex(reason, r"rank 1 is late, in samples: step .*; rank 0 is in samples: ")

    def test_a_result_that_is_wrong_on_one_rank_gets_no_time(self):
        status, reason = self.after_the_first("wrong-after")
        self.assertEqual(status, "incorrect")
        self.assertRegex(reason, r"rank 1: the sum over \d+ steps is")

    def start(self, *arguments):
        process = subprocess.Popen(self.command("--behaviour", "sleep", "--duration", "1000,20000", "--ranks", "2",
                                                *arguments),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)

        def in_the_second_case():
            with open(f"{self.out}/cases.jsonl") as file:
                return len(file.readlines()) == 2

        wait_until(lambda: os.path.exists(f"{self.out}/cases.jsonl"))
        wait_until(in_the_second_case)
        self.assertEqual(len(workers_of(self.out)), 2)
        return process

    def test_kill_9_of_one_rank_ends_its_case_and_not_the_sweep(self):
        for rank in (0, 1):
            with self.subTest(rank=rank):
                self.out = os.path.join(os.path.dirname(self.out), f"killed-{rank}")
                process = self.start("--steps", "100")
                os.kill(workers_of(self.out)[f"bench-worker-1-rank-{rank}.log"], signal.SIGKILL)
                process.communicate(timeout=20)
                self.assertEqual(process.returncode, 1)
                self.assertEqual([case["status"] for case in self.cases()], ["ok", "crashed"])
                self.assertRegex(self.cases()[1]["reason"]["text"], rf"rank {rank} was killed by signal 9")
                self.assertEqual(workers_of(self.out), {})

    def test_ctrl_c_keeps_what_is_finished_and_leaves_no_process(self):
        process = self.start("--steps", "1000")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, 130)
        self.assertEqual([case["status"] for case in self.cases()], ["ok"])
        self.assertEqual(workers_of(self.out), {})

    def test_no_rank_survives_kill_9_of_bench(self):
        process = self.start("--steps", "1000")
        process.kill()
        process.communicate(timeout=20)
        wait_until(lambda: not workers_of(self.out), limit_s=5)


if __name__ == "__main__":
    unittest.main()
