"""A step of a script that fails ends the script, wherever it is called from.

Each test runs a copy of scripts/ in a folder of its own, whose `setup` and `build` pretend.
"""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).parents[2] / "scripts"


class FailingSteps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.checkout = pathlib.Path(folder.name)
        shutil.copytree(SCRIPTS, self.checkout / "scripts")
        self.pretend("setup", "exit 0")
        self.pretend("build", "exit 0")

    def pretend(self, script, body):
        (self.checkout / "scripts" / script).write_text(f"#!/bin/sh\n{body}\n")

    def run_script(self, *words, **options):
        return subprocess.run([self.checkout / "scripts" / words[0], *words[1:]], capture_output=True, text=True,
                              check=False, **options)

    def built(self, *names):
        for name in names:
            path = self.checkout / "build" / "release" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy("/bin/true", path)  # a program, for strip

    def built_whole(self):
        self.built("bin/bench", "bin/bench-worker", "bin/bench-worker-cuda", "bin/peers/torch_worker.py",
                   "tests/libnvtx_recorder.so")
        (self.checkout / "workloads" / "peers").mkdir(parents=True)
        (self.checkout / "workloads" / "peers" / "eager_ratio.py").touch()

    def test_nothing_is_packed_without_gpu_tests(self):
        self.built_whole()
        done = self.run_script("gpu-check", "--pack")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("scripts/setup --peers", done.stderr)
        self.assertFalse((self.checkout / "build" / "gpu").exists())

    def test_nothing_is_packed_after_a_build_that_failed(self):
        self.built_whole()
        self.built("tests/gpu/a_test")
        self.pretend("build", "exit 1")
        done = self.run_script("gpu-check", "--pack")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertFalse((self.checkout / "build" / "gpu").exists())

    def test_a_file_that_is_missing_ends_the_packing(self):
        self.built_whole()
        self.built("tests/gpu/a_test")
        (self.checkout / "workloads" / "peers" / "eager_ratio.py").unlink()
        done = self.run_script("gpu-check", "--pack")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertNotIn("packed", done.stderr)

    def test_a_whole_build_is_packed_with_its_tests(self):
        self.built_whole()
        self.built("tests/gpu/a_test")
        done = self.run_script("gpu-check", "--pack")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.checkout / "build" / "gpu" / "tests" / "a_test").exists())

    def test_a_formatter_that_is_missing_is_no_file_that_is_badly_formatted(self):
        programs = self.checkout / "programs"
        programs.mkdir()
        for name in ("bash", "sh", "readlink", "dirname"):
            (programs / name).symlink_to(shutil.which(name))
        done = self.run_script("check", "--format", env={"PATH": str(programs)})
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(done.stderr, "error: clang-format-14 is missing: run scripts/setup as root, or install that package\n")


if __name__ == "__main__":
    unittest.main()
