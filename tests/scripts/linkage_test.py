"""linkage_test.py BENCH WORKER: bench needs neither LibTorch nor CUDA, itself or through a library; the worker does."""

import re
import subprocess
import sys
import unittest

HEAVY = re.compile(r"lib(torch|c10|cu|nv|nccl)")
BENCH, WORKER = sys.argv[1:3]


def output_of(*command):
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def directly_needed(program):
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output_of("readelf", "--dynamic", "--wide", program))


def all_needed(program):
    return re.findall(r"^\s*(lib\S+)", output_of("ldd", program), re.MULTILINE)


class Linkage(unittest.TestCase):
    def test_bench_needs_nothing_heavy(self):
        for needed in directly_needed(BENCH), all_needed(BENCH):
            self.assertTrue(any(name.startswith("libstdc++") for name in needed), needed)
            self.assertEqual([name for name in needed if HEAVY.match(name)], [])

    def test_the_worker_needs_what_this_test_looks_for(self):
        for needed in directly_needed(WORKER), all_needed(WORKER):
            self.assertIn("libtorch_cpu.so", needed)
            self.assertTrue(any(HEAVY.match(name) for name in needed))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
