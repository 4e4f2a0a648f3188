"""No file that git tracks, or would, holds a path of one machine."""

import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).parents[2]
# Absolute paths under these folders; written apart, so that this file passes too.
MACHINE_PATH = re.compile(r"(?<![\w.~}-])/(" + "|".join(["wo" + "rk", "ro" + "ot", "fa" + "rm", "ho" + "me"]) + r")/")


def listed_files():
    listing = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                             capture_output=True, check=False)
    return [ROOT / name.decode() for name in listing.stdout.split(b"\0") if name]


def faults_in(name, text):
    return [f"{name}:{number}: {line.strip()}" for number, line in enumerate(text.splitlines(), 1)
            if MACHINE_PATH.search(line)]


class Tree(unittest.TestCase):
    def test_holds_no_machine_paths(self):
        files = [path for path in listed_files() if path.is_file()]
        self.assertGreater(len(files), 10)
        faults = [fault for path in files
                  for fault in faults_in(path.relative_to(ROOT), path.read_text(encoding="utf-8", errors="replace"))]
        self.assertFalse(faults, "\n" + "\n".join(faults))

    def test_made_up_paths_are_found_and_others_are_not(self):
        home = "/ro" + "ot/"
        self.assertEqual(len(faults_in("x", f"a\nset(DIR {home}bench)\n#include \"{home}a.hpp\"\n")), 2)
        self.assertFalse(faults_in("x", f"https://example.org{home}page harness{home}file ${{top}}{home}"))


if __name__ == "__main__":
    if not listed_files():
        print("not a git checkout")
        sys.exit(77)
    unittest.main()
