"""The hash-locked files: every package is pinned and hashed, and the lean set is a part of the full one."""

import pathlib
import re
import unittest

FOLDER = pathlib.Path(__file__).parents[2] / "scripts" / "requirements"
# The versions that torch 2.11.0's wheel was built against, and the least that libtorch_cpu.so loads.
LEAN = {"torch": "2.11.0", "nvidia-cuda-cupti": "13.0.85", "nvidia-cuda-runtime": "13.0.96", "nvidia-nvtx": "13.0.85"}


def locked(name):
    """{package: (version, hashes)}"""
    blocks = re.findall(r"^([\w.-]+)==(\S+)((?:[ \\]*\n +--hash=sha256:[0-9a-f]{64})+)$",
                        (FOLDER / name).read_text(), re.MULTILINE)
    return {package: (version, re.findall(r"sha256:(\w+)", hashes)) for package, version, hashes in blocks}


class Requirements(unittest.TestCase):
    def test_every_requirement_is_pinned_and_hashed(self):
        for name in "lean.txt", "full.txt":
            lines = (FOLDER / name).read_text().splitlines()
            self.assertEqual(len(locked(name)), sum(line[:1].isalnum() for line in lines), name)

    def test_lean_is_a_part_of_full(self):
        lean, full = locked("lean.txt"), locked("full.txt")
        self.assertEqual({package: version for package, (version, _) in lean.items()}, LEAN)
        self.assertEqual(lean, {package: full[package] for package in lean})

    def test_full_serves_the_python_peers(self):
        self.assertLessEqual({"numpy", "safetensors", "triton", "setuptools"}, set(locked("full.txt")))


if __name__ == "__main__":
    unittest.main()
