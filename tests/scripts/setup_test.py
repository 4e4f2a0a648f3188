"""scripts/setup on machines that lack something: one sentence with the remedy, exit code 5, and nothing left behind.

Each test runs a copy of scripts/ in a folder of its own, with programs on PATH that pretend. Nothing is downloaded.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).parents[2] / "scripts"

# A machine on which nothing is missing; each test replaces what it is about.
GOOD_MACHINE = {
    "dpkg-query": 'shift 3; printf "installed %s\\n" "$@"',
    "g++": "echo 12.2.0",
    "id": "echo 0",
    "apt-get": "echo called apt-get; exit 1",
    "df": 'printf "Filesystem 1M-blocks Used Available Capacity Mounted\\nx 0 0 500000 0%% /\\n"',
}
UNREACHABLE = {"PIP_INDEX_URL": "http://127.0.0.1:1/", "PIP_RETRIES": "1", "PIP_CONFIG_FILE": os.devnull}


class SetupRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.checkout = pathlib.Path(folder.name) / "checkout"
        self.shims = pathlib.Path(folder.name) / "shims"
        self.shims.mkdir()
        shutil.copytree(SCRIPTS, self.checkout / "scripts")
        self.libtorch = pathlib.Path(folder.name) / "libtorch"
        (self.libtorch / "lib").mkdir(parents=True)
        (self.libtorch / "lib" / "libtorch_cpu.so").touch()

    def run_setup(self, *arguments, machine=None, **environment):
        for name, body in {**GOOD_MACHINE, **(machine or {})}.items():
            shim = self.shims / name
            shim.write_text(f"#!/bin/sh\n{body}\n")
            shim.chmod(0o755)
        inherited = {name: value for name, value in os.environ.items()
                     if not name.startswith("PIP_") and name not in ("CXX", "BENCH_TORCH")}
        return subprocess.run([self.checkout / "scripts" / "setup", *arguments], capture_output=True, text=True, check=False,
                              env={**inherited, "PATH": f"{self.shims}:{inherited['PATH']}", **environment})

    def assert_lacks(self, done, *fragments):
        """The last line is one sentence that holds these fragments."""
        self.assertEqual(done.returncode, 5, done.stderr)
        sentence = done.stderr.splitlines()[-1]
        self.assertTrue(sentence.startswith("error: "), done.stderr)
        for fragment in fragments:
            self.assertIn(fragment, sentence)

    def stamp(self):
        return (self.checkout / ".venv" / "bench-setup.stamp").read_text()


class Machine(SetupRun):
    def test_own_libtorch_needs_no_wheel(self):
        done = self.run_setup(BENCH_TORCH=str(self.libtorch))
        self.assertEqual((done.returncode, done.stderr), (0, "set up: nothing to do\n"))
        self.assertFalse((self.checkout / ".venv").exists())

    def test_quiet_says_nothing_when_there_is_nothing_to_do(self):
        done = self.run_setup("--quiet", BENCH_TORCH=str(self.libtorch))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_own_libtorch_without_the_library(self):
        self.assert_lacks(self.run_setup(BENCH_TORCH=str(self.checkout)), "BENCH_TORCH", "lib/libtorch_cpu.so")

    def test_unknown_argument_is_a_usage_error(self):
        done = self.run_setup("--gpus")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--gpus", done.stderr)

    def test_help_is_what_the_script_says_of_itself(self):
        done = self.run_setup("--help")
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stdout.startswith("Usage: scripts/setup [--peers]"))
        self.assertNotIn("lib.sh", done.stdout)

    def test_another_system(self):
        done = self.run_setup(machine={"uname": '[ "$1" = -s ] && echo Darwin || echo arm64'})
        self.assert_lacks(done, "Linux", "Darwin on arm64")

    def test_old_compiler(self):
        self.assert_lacks(self.run_setup(machine={"g++": "echo 11.4.0"}), "version 11.4.0", "g++ 12 or newer")

    def test_compiler_that_is_no_gcc(self):
        done = self.run_setup(machine={"clang++": "exit 1"}, CXX="clang++")
        self.assert_lacks(done, "clang++ is not a g++", "CXX")


class Packages(SetupRun):
    MISSING = {"dpkg-query": 'shift 3; printf "installed %s\\n" "$@" | grep -v -e ccache -e mold; exit 1'}

    def test_without_root_the_line_to_type_is_printed(self):
        done = self.run_setup(machine={**self.MISSING, "id": "echo 1000"})
        self.assert_lacks(done, '"sudo apt-get install ccache mold"')

    def test_root_installs_only_what_is_missing(self):
        done = self.run_setup(machine={**self.MISSING, "apt-get": f'echo "$@" >>{self.checkout}/calls'},
                              BENCH_TORCH=str(self.libtorch))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.checkout / "calls").read_text().splitlines(),
                         ["update", "install --yes --no-install-recommends ccache mold"])
        self.assertEqual(done.stderr, "set up: installing the packages ccache mold\n")

    def test_no_network(self):
        # As apt does it: update warns and succeeds, install then knows no package.
        apt = '[ "$1" = update ] && { echo "W: Failed to fetch x  Could not resolve \'x\'"; exit 0; }; ' \
              'echo "E: Unable to locate package mold"; exit 100'
        self.assert_lacks(self.run_setup(machine={**self.MISSING, "apt-get": apt}), "network", "ccache mold")

    def test_a_system_without_the_package(self):
        apt = '[ "$1" = update ] || { echo "E: Unable to locate package mold"; exit 100; }'
        self.assert_lacks(self.run_setup(machine={**self.MISSING, "apt-get": apt}), "does not offer mold:", "Debian 12")

    def test_other_failures_show_what_apt_said(self):
        done = self.run_setup(machine={**self.MISSING, "apt-get": "echo dpkg was interrupted; exit 100"})
        self.assert_lacks(done, "apt-get failed")
        self.assertIn("dpkg was interrupted", done.stderr)


class Wheels(SetupRun):
    def test_too_little_disk_is_said_before_anything_is_made(self):
        little = {"df": 'printf "Filesystem 1M-blocks Used Available Capacity Mounted\\nx 0 0 3500 0%% /\\n"'}
        self.assert_lacks(self.run_setup("--peers", machine=little), "8 GB", "3 GB")
        self.assertFalse((self.checkout / ".venv").exists())

    def test_no_network_and_the_next_run_starts_afresh(self):
        done = self.run_setup(**UNREACHABLE)
        self.assert_lacks(done, "network", "BENCH_TORCH")
        self.assertNotIn("127.0.0.1", done.stderr)
        self.assertEqual(self.stamp(), "interrupted\n")

        half_installed = self.checkout / ".venv" / "half-installed"
        half_installed.touch()
        self.assert_lacks(self.run_setup(**UNREACHABLE), "network")
        self.assertFalse(half_installed.exists())

    def test_a_lock_file_that_changed_is_installed_into_what_is_there(self):
        (self.checkout / "scripts" / "requirements" / "lean.txt").write_text("")
        first = self.run_setup(**UNREACHABLE)
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertEqual(self.run_setup(**UNREACHABLE).stderr, "set up: nothing to do\n")

        (self.checkout / "scripts" / "requirements" / "lean.txt").write_text("# newer\n")
        again = self.run_setup(**UNREACHABLE)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertNotIn("creating", again.stderr)
        self.assertIn("installing", again.stderr)


if __name__ == "__main__":
    unittest.main()
