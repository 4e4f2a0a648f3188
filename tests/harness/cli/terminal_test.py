"""Progress under a pseudo-terminal: narrow, resized, dumb; and into a pipe. Usage: terminal_test.py BENCH"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

BENCH = os.path.abspath(sys.argv.pop())
REDRAW = "\r\x1b[K"


def columns(fd, count):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, count, 0, 0))


class Terminal(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def command(self, *more):
        return [BENCH, "run", "synthetic", "--device", "cpu", "--duration", "60000,70000", "--steps", "12",
                "--out", os.path.join(self.folder.name, "run"), *more]

    def on_terminal(self, width, resize_to=None, term="xterm", interrupt=False):
        """What bench writes to a terminal of this width; the second half, after a resize, apart."""
        pid, fd = pty.fork()
        if pid == 0:
            output = os.open(os.devnull, os.O_WRONLY)
            os.dup2(output, 1)  # progress goes to stderr; results would too, if they shared the terminal
            os.environ.update(TERM=term)
            time.sleep(0.2)  # until the window has its size
            os.execv(BENCH, self.command())
        columns(fd, width)
        parts = [b"", b""]
        resized = False
        end = time.monotonic() + 300
        while time.monotonic() < end:
            if not select.select([fd], [], [], 0.1)[0]:
                continue
            try:
                block = os.read(fd, 65536)
            except OSError:  # the other end is closed
                break
            if not block:
                break
            parts[resized] += block
            if not resized and re.search(rb"samples [1-9]", parts[0]):
                resized = True
                if resize_to:
                    columns(fd, resize_to)
                if interrupt:
                    os.kill(pid, signal.SIGINT)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.close(fd)
        return status, parts[0].decode(), parts[1].decode()

    @staticmethod
    def live_lines(text):
        """Each state of the live line, without the cleared ones and what stays."""
        lines = [part.split("\n")[0].rstrip("\r") for part in text.split(REDRAW)[1:]]
        return [line for line in lines if line and not re.search(r": ok, ", line)]

    def test_the_live_line_shows_case_phase_median_and_time_left(self):
        status, before, after = self.on_terminal(200)
        self.assertEqual(status, 0)
        lines = self.live_lines(before + after)
        self.assertGreater(len(lines), 10)
        self.assertTrue(any(re.fullmatch(r"\[1/2\] samples \d+/12 · 6\d\.\d ms a step · \d+s left · synthetic/\S+", line)
                            for line in lines), lines[-5:])
        self.assertTrue(any(line.startswith("[2/2] warm-up") for line in lines))
        # What stays, each on a line of its own, and nothing half-drawn behind it.
        self.assertRegex(before + after, re.escape(REDRAW) + r"\[1/2\] \S+: ok, 6\d\.\d ms a step, 12 steps done \(\d+s, about \d+s left\)\r\n")
        self.assertRegex(after, r"\(\d+s\)\r\nresults: \S+\r\n$")

    def test_a_narrow_window_never_wraps_and_keeps_the_state(self):
        status, before, after = self.on_terminal(24)
        self.assertEqual(status, 0)
        lines = self.live_lines(before + after)
        self.assertEqual([line for line in lines if len(line) > 24], [])
        self.assertTrue(any(re.match(r"\[1/2\] samples \d+/12", line) for line in lines))

    def test_a_resized_window_is_obeyed_at_the_next_redraw(self):
        status, before, after = self.on_terminal(100, resize_to=30)
        self.assertEqual(status, 0)
        self.assertTrue(any(len(line) > 30 for line in self.live_lines(before)))
        self.assertEqual([line for line in self.live_lines(after)[2:] if len(line) > 30], [])

    def test_a_dumb_terminal_gets_plain_lines(self):
        status, before, after = self.on_terminal(80, term="dumb")
        self.assertEqual(status, 0)
        self.assertNotIn("\x1b", before + after)
        self.assertEqual((before + after).count("\n"), 4)  # plan, two cases, where the results are

    def test_an_interrupt_leaves_a_clean_line_and_the_way_on(self):
        status, before, after = self.on_terminal(80, interrupt=True)
        self.assertEqual(status, 130)
        self.assertRegex(after, re.escape(REDRAW) + r"results: \S+\r\nbench: interrupted before the first case was finished, and "
                                r"`bench run --resume \S+` continues it\r\n$")

    def test_a_pipe_gets_plain_lines(self):
        done = subprocess.run(self.command(), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        lines = done.stderr.splitlines()
        self.assertRegex(lines[0], r"^2 cases: about \d+s; warm-up and samples take at most 2m 00s$")
        self.assertRegex(lines[1], r"^\[1/2\] .* \(\d+s, about \d+s left\)$")
        self.assertNotIn("\r", done.stderr)


if __name__ == "__main__":
    unittest.main()
