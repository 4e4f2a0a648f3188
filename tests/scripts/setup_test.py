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
        return subprocess.run([self.checkout / "scripts" / "setup", *arguments],
                              capture_output=True, text=True, check=False,
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
        self.assert_lacks(self.run_setup(machine={**self.MISSING, "apt-get": apt}), "network", "ccache mold",
                          "(apt-get: W: Failed to fetch x  Could not resolve 'x')")

    def test_what_stands_between_apt_and_its_mirror(self):
        for said, remedy in [
            ("Certificate verification failed: The certificate is NOT trusted.", "certificates of this machine"),
            ("Invalid response from proxy: HTTP/1.1 407 Proxy Authentication Required", "mend https_proxy"),
            ("Could not connect to deb.debian.org:80 (1.2.3.4), connection timed out", "to the network"),
        ]:
            with self.subTest(said=said):
                apt = f'[ "$1" = update ] && {{ echo "W: {said}"; exit 0; }}; echo "E: Unable to locate package mold"; exit 100'
                self.assert_lacks(self.run_setup(machine={**self.MISSING, "apt-get": apt}), remedy, f"(apt-get: W: {said})")

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

    def make_venv(self, pip):
        """An environment whose interpreter pretends: `pip` is a shell command that plays pip's part."""
        python = self.checkout / ".venv" / "bin" / "python3"
        python.parent.mkdir(parents=True)
        python.write_text(f'#!/bin/sh\ncase "$*" in *pip*) {pip} ;; *--version) echo Python 3.12.3 ;; esac\n')
        python.chmod(0o755)

    def lock(self, text):
        (self.checkout / "scripts" / "requirements" / "lean.txt").write_text(text)

    def test_no_network_after_an_install_that_was_cut_short(self):
        # The real pip against an address where nobody answers, in an environment that must be made afresh.
        self.make_venv("echo not asked; exit 1")
        half_installed = self.checkout / ".venv" / "half-installed"
        half_installed.touch()
        (self.checkout / ".venv" / "bench-setup.stamp").write_text("interrupted\n")
        done = self.run_setup(**UNREACHABLE)
        self.assert_lacks(done, "network", "BENCH_TORCH")
        self.assertIn("(pip: WARNING: Retrying", done.stderr)
        self.assertFalse(half_installed.exists())
        self.assertEqual(self.stamp(), "interrupted\n")

    def test_a_changed_lock_file_is_installed_into_what_is_there(self):
        self.make_venv(f'echo "$@" >>{self.checkout}/calls')
        for text in "torch==1\n", "torch==2\n":
            self.lock(text)
            self.assertEqual(self.run_setup().stderr.count("\n"), 1)
            self.assertEqual(self.run_setup().stderr, "set up: nothing to do\n")
        calls = (self.checkout / "calls").read_text().splitlines()
        self.assertEqual(len(calls), 2)
        self.assertIn("--no-deps --require-hashes", calls[0])

    def test_the_full_set_serves_those_who_ask_for_less(self):
        self.make_venv("true")
        self.run_setup("--peers")
        self.assertEqual(self.run_setup().stderr, "set up: nothing to do\n")
        self.assertEqual(self.stamp().split()[0], "full")

    def test_what_pip_says_becomes_one_sentence(self):
        for said, fragment in [
            ("OSError: [Errno 28] No space left on device", "disk filled up"),
            ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE", "locked hash"),
        ]:
            with self.subTest(said=said):
                self.make_venv(f'echo "{said}"; exit 1')
                done = self.run_setup()
                self.assert_lacks(done, fragment)
                self.assertNotIn(said, done.stderr)
                shutil.rmtree(self.checkout / ".venv")

    def test_what_stands_between_pip_and_a_wheel_is_told_apart_and_quoted(self):
        last = "ERROR: No matching distribution found for torch==2.11.0"
        broken = "WARNING: Retrying (Retry(total=4)) after connection broken by "
        for said, remedy in [
            (broken + "SSLError(SSLCertVerificationError(1, [SSL: CERTIFICATE_VERIFY_FAILED] unable to get issuer))",
             "does not trust the certificate"),
            ("Could not fetch URL https://x/: There was a problem confirming the ssl certificate: x - skipping",
             "does not trust the certificate"),
            (broken + "ProxyError(Cannot connect to proxy., NewConnectionError(Connection refused))", "mend https_proxy"),
            (broken + "OSError(Tunnel connection failed: 407 Proxy Authentication Required)", "mend https_proxy"),
            (broken + "NewConnectionError(Temporary failure in name resolution)", "connect this machine to the network"),
            (broken + "ConnectTimeoutError(Connection to x timed out.)", "connect this machine to the network"),
            ("ERROR: HTTP error 403 while getting https://x/torch.whl", "the package index refuses"),
            (last, "no wheel for Python 3.12.3"),
        ]:
            with self.subTest(said=said):
                self.make_venv(f'echo "Looking in indexes: https://x/"; echo "{said}"; echo "{last}"; exit 1')
                self.assert_lacks(self.run_setup(), remedy, f"(pip: {said})")
                shutil.rmtree(self.checkout / ".venv")


if __name__ == "__main__":
    unittest.main()
