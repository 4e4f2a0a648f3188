"""What a shell offers after Tab, asked of bash (and zsh, where it is installed) itself. Usage: completion_test.py BENCH"""

import os
import pty
import shutil
import subprocess
import sys
import tempfile
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


def typed(text, folder):
    """What `bench` gets when a person types this into an interactive bash in a folder."""
    with open(os.path.join(folder, ".script"), "w") as file:
        file.write(script("bash"))
    primary, secondary = pty.openpty()
    shell = subprocess.Popen(["bash", "--norc", "--noprofile", "-i"], cwd=folder, stdin=secondary, stdout=secondary,
                             stderr=secondary, start_new_session=True, env={**os.environ, "TERM": "dumb", "HISTFILE": ""})
    os.close(secondary)
    os.write(primary, b"bench() { printf 'GOT:'; printf '<%s>' \"$@\"; echo; }; source .script\n" + text.encode() +
             b"\nexit\n")
    output = b""
    while True:
        try:
            block = os.read(primary, 4096)
        except OSError:  # the shell has ended
            break
        if not block:
            break
        output += block
    os.close(primary)
    shell.wait(30)
    return [line[4:] for line in output.decode().replace("\r", "").splitlines() if line.startswith("GOT:")]


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

        self.assertEqual(offered("run", "model", "--zip", "size,ba"), ["size,batch"])
        self.assertEqual(offered("compare", "--fail-on", "me"), ["memory"])
        self.assertEqual(offered("report", "--rows", "d-mo"), ["d-model"])

    def test_a_value_may_follow_an_equals_sign(self):
        self.assertEqual(offered("run", "model", "--size", "=", "sm"), ["small"])
        self.assertEqual(offered("run", "model", "--mode", "="), ["forward", "forward-backward", "train-step"])
        self.assertEqual(offered("run", "model", "--size", "=", "small", "--optimiz"), ["--optimizer"])

    def test_arguments_that_are_no_options_are_offered(self):
        self.assertEqual(offered("completion", ""), ["bash", "zsh", "--help"])
        self.assertIn("--format", offered("report", "--"))

    def test_names_of_files_are_completed_where_files_are_meant_and_nowhere_else(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "model"))
            os.mkdir(os.path.join(folder, "runs"))
            for name in ("my plan.json", "runs/first.json"):
                with open(os.path.join(folder, name), "w"):
                    pass
            for text, got in (
                ("bench run mod\t--dry-run", "<run><model><--dry-run>"),
                ("bench report runs/fi\t", "<report><runs/first.json>"),
                ("bench report my\t", "<report><my plan.json>"),
                ("bench compare ru\tfi\t my\t", "<compare><runs/first.json><my plan.json>"),
                ("bench run --resume mod\t", "<run><--resume><model/>"),
                ("bench run model --cases=my\t", "<run><model><--cases=my plan.json>"),
                ("bench run model --size=sm\t", "<run><model><--size=small>"),
                ("bench run model --context ru\t", "<run><model><--context><ru>"),
            ):
                self.assertEqual(typed(text, folder), [got], text)

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
