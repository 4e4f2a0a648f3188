"""The HTML report in headless Chromium: its script runs, its tables sort and filter, labels stay labels.

Usage: html_test.py BENCH. Skipped (77) without Chromium."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BENCH = os.path.abspath(sys.argv.pop())
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
EXAMPLES = os.path.join(ROOT, "reports", "schema", "examples")
HOSTILE = "</script><script>document.title='taken over'</script><!--<script><img src=x onerror=\"document.title='taken over'\">\u2028'\"`"


class HtmlReport(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.temporary.cleanup()

    def page(self, alter=lambda run: None, example="model-cpu.json"):
        with open(os.path.join(EXAMPLES, example)) as file:
            run = json.load(file)
        alter(run)
        path = os.path.join(self.temporary.name, "run.json")
        with open(path, "w") as file:
            json.dump(run, file)
        return subprocess.run([BENCH, "report", path, "--format", "html"], capture_output=True, text=True, check=True).stdout

    def seen(self, page, script="return null;", options=(), anchor=""):
        """The page's DOM in Chromium, and what `script`, run after the page's own, returned."""
        path = os.path.join(self.temporary.name, "page.html")
        probe = ("<script>{const q=(s)=>[...document.querySelectorAll(s)];const result=(()=>{" + script + "})();"
                 "document.documentElement.dataset.probe=JSON.stringify(result)}</script></body>")
        with open(path, "w") as file:
            file.write(page.replace("</body>", probe))
        done = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + self.temporary.name + "/profile",
             *options, "--dump-dom", "file://" + path + anchor],
            capture_output=True, text=True, timeout=120)
        self.assertIn('data-ready="yes"', done.stdout, done.stderr[-2000:])
        probe = re.search(r'data-probe="([^"]*)"', done.stdout).group(1)
        return done.stdout, json.loads(probe.replace("&quot;", '"').replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))

    def test_shows_every_case_sorts_and_filters(self):
        _, found = self.seen(self.page(), """
            const column = (at) => q('#cases tbody tr').map((row) => row.cells[at].textContent);
            const head = (name) => q('#cases thead th').findIndex((th) => th.textContent.startsWith(name));
            const click = (name) => q('#cases thead th button')[head(name)].click();
            const step = head('step'), all = column(step);
            click('step'); const up = column(step);
            click('step'); const down = column(step), sorted = q('#cases thead th')[step].getAttribute('aria-sort');
            const filter = q('#filter')[0];
            filter.value = 'small -512'; filter.dispatchEvent(new Event('input'));
            return {all, up, down, sorted, filtered: q('#cases tbody tr').length, count: q('#count')[0].textContent};""")
        self.assertEqual(found["all"], ["3487 ± 21", "7123 ± 43", "11,904", "–", "–"])
        self.assertEqual(found["up"], ["3487 ± 21", "7123 ± 43", "11,904", "–", "–"])
        self.assertEqual(found["down"], ["11,904", "7123 ± 43", "3487 ± 21", "–", "–"])
        self.assertEqual(found["sorted"], "descending")
        self.assertEqual((found["filtered"], found["count"]), (1, "1 of 5 cases"))

    def test_a_case_opens_with_its_samples_memory_and_checks(self):
        _, found = self.seen(self.page(), """
            q('#cases button.case')[0].click();
            return {open: q('#details')[0].open, headings: q('#details h3').map((h) => h.textContent),
                    circles: q('#details svg circle').length, bars: q('#details svg')[1].querySelectorAll('rect').length};""")
        self.assertTrue(found["open"])
        for heading in ("Samples", "Numbers", "Memory at the peak, by category", "Checks before timing", "Warnings"):
            self.assertIn(heading, found["headings"])
        self.assertEqual(found["circles"], 12)  # two of warm-up, ten measured
        self.assertEqual(found["bars"], 2)

    def test_a_link_opens_a_case(self):
        _, found = self.seen(self.page(), "return q('#details-body p')[0]?.textContent ?? '';", anchor="#case-3")
        self.assertIn("size:large", found)

    def test_pivot_and_chart_follow_the_choice(self):
        _, found = self.seen(self.page(), """
            const value = q('#pivot-value')[0];
            value.selectedIndex = [...value.options].findIndex((o) => o.textContent === 'peak allocated');
            value.dispatchEvent(new Event('change'));
            return {note: q('#pivot-note')[0].textContent, lines: q('#chart svg path').length,
                    cells: q('#pivot tbody tr').map((row) => [...row.cells].map((cell) => cell.textContent))};""")
        self.assertEqual(found["note"], "peak allocated in GiB")
        self.assertEqual(found["lines"], 2)
        self.assertEqual(found["cells"][0], ["256", "2.43", "7.93", "out of memory"])

    def test_labels_cannot_break_out(self):
        def alter(run):
            run["run"].update(label=HOSTILE, workload=HOSTILE, device=HOSTILE, argv=[HOSTILE])
            run["environment"]["cpu_model"] = HOSTILE
            run["conditions"][HOSTILE] = HOSTILE
            for case in run["cases"]:
                case["workload"] = HOSTILE
                case["parameters"][HOSTILE] = HOSTILE
                case["reason"] = {"code": "said", "text": HOSTILE}
                case["warnings"] = [{"code": "said", "text": HOSTILE}]
                for summary in case["summaries"]:
                    if summary["metric"] == "optimizer":
                        summary["metric"] = summary["unit"] = HOSTILE
        page = self.page(alter)
        self.assertEqual(page.count("<script"), 2)
        self.assertNotIn("<img", page)
        dom, found = self.seen(page, """
            q('#cases button.case').forEach((button) => { button.click(); q('#details')[0].close(); });
            return {title: document.title, scripts: q('script').length, images: q('img').length, rows: q('#cases tbody tr').length};""")
        self.assertNotEqual(found["title"], "taken over")
        self.assertEqual((found["scripts"], found["images"], found["rows"]), (3, 0, 5))  # two, and the test's

    def opened(self, alter):
        """The page's charts and what its details say, of a run altered so that it once never ended or threw."""
        _, found = self.seen(self.page(alter), """
            q('#cases button.case')[0].click();
            return {chart: q('#chart line.grid').length, samples: q('#details svg')[0].querySelectorAll('line.grid').length,
                    numbers: q('#details-body').map((body) => body.textContent).join()};""")
        return found

    def test_an_axis_of_subnormal_numbers_has_a_few_ticks(self):
        def alter(run):
            for case, value in zip(run["cases"], (5e-324, 1, 1)):
                next(one for one in case["summaries"] if one["metric"] == "step").update(value=value, low=value, high=value)
        found = self.opened(alter)
        self.assertGreaterEqual(found["chart"], 2)
        self.assertLessEqual(found["chart"], 12)

    def test_samples_beyond_what_a_double_counts_have_a_few_ticks(self):
        def alter(run):
            case = run["cases"][0]
            for at, sample in enumerate(case["samples"]):
                sample["host_ns"] = 10**17 + 16 * (at % 2)
            next(one for one in case["summaries"] if one["metric"] == "step")["value"] = 1e17
        found = self.opened(alter)
        self.assertGreaterEqual(found["samples"], 1)
        self.assertLessEqual(found["samples"], 12)

    def test_a_unit_may_be_called_constructor(self):
        def alter(run):
            run["cases"][0]["summaries"].append({"metric": "odd", "heading": "odd", "unit": "constructor", "kind": "count", "value": 3, "n": 0, "interval_capped": False})
        self.assertIn("odd3 constructor", self.opened(alter)["numbers"])

    def test_fetches_nothing(self):
        page = self.page()
        self.assertIn("default-src 'none'", page)
        self.assertEqual(re.findall(r'(?:src|href)\s*=|@import|url\(|fetch\(|XMLHttpRequest', page), [])

    def test_fits_a_phone(self):
        _, found = self.seen(self.page(), "return document.documentElement.scrollWidth - document.documentElement.clientWidth;",
                             options=["--window-size=500,900"])
        self.assertEqual(found, 0)

    def test_a_run_without_a_case_is_a_page_too(self):
        _, found = self.seen(self.page(example="no-case.json"), "return q('#count')[0].textContent;")
        self.assertEqual(found, "0 cases")


if __name__ == "__main__":
    if not CHROMIUM:
        print("chromium is missing: apt-get install chromium")
        sys.exit(77)
    unittest.main()
