"""What a shell offers after Tab, asked of bash (and zsh, where it is installed) itself. Usage: completion_test.py BENCH"""

import os
import shutil
import subprocess
import sys
import unittest

BENCH = os.path.abspath(sys.argv.pop())


def script(shell):
    return subprocess.run([BENCH, "completion", shell], capture_output=True, text=True, check=True).stdout


def offered(*words):
    """What bash offers for the last word."""
    asked = f"""
eval "$1"
COMP_WORDS=("${{@:2}}"); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_bench
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "--norc", "-uc", asked, "bash", script("bash"), "bench", *words],
                          capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout.split()


class Completion(unittest.TestCase):
    def test_commands_workloads_and_options_follow_each_other(self):
        self.assertEqual(offered("ru"), ["run"])
        self.assertEqual(offered("run", "mo"), ["model"])
        self.assertEqual(offered("run", "model", "--conte"), ["--context"])
        self.assertEqual(offered("run", "model", "--size", "small", "--optimiz"), ["--optimizer"])
        self.assertIn("--behaviour", offered("run", "synthetic", "--"))
        self.assertNotIn("--behaviour", offered("run", "model", "--"))

    def test_values_of_an_option_are_offered(self):
        self.assertEqual(offered("run", "model", "--preset", "se"), ["seed"])
        self.assertEqual(offered("run", "model", "--mode", ""), ["forward", "forward-backward", "train-step"])
        self.assertEqual(offered("run", "model", "--device", "c"), ["cpu", "cuda"])
        self.assertEqual(offered("report", "--format", "js"), ["json"])
        self.assertEqual(offered("run", "model", "--context", ""), [], "a number cannot be guessed")

    def test_a_preset_that_cannot_run_is_not_offered(self):
        self.assertNotIn("checkpoint", offered("run", "model", "--preset", ""))

    def test_a_comma_list_goes_on_after_its_last_comma(self):
        self.assertEqual(offered("run", "model", "--size", "small,med"), ["small,medium"])

    def test_files_follow_options_that_take_them(self):
        self.assertIn("tests", offered("run", "--resume", "test"))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_offers_the_same(self):
        asked = """
autoload -Uz compinit; compinit -u -D
eval "$1"
compadd() { shift; print -l -- "$@"; }
compset() { :; }
words=("${@:2}"); CURRENT=$#words; PREFIX=$words[-1]
_bench
"""
        done = subprocess.run(["zsh", "-fc", asked, "zsh", script("zsh"), "bench", "run", "model", "--mode", ""],
                              capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.split(), ["forward", "forward-backward", "train-step"])

    def test_an_unknown_shell_is_a_usage_error(self):
        done = subprocess.run([BENCH, "completion", "zhs"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr),
                         (2, 'bench: there is no completion for "zhs"; did you mean zsh?\n'))


if __name__ == "__main__":
    unittest.main()
