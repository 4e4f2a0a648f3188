"""Each folder includes only what its line in the table names."""

import graphlib
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]

# The layers. A path belongs to the longest key it starts with, and may include its own key's files, the standard
# library, the system's headers, fmt, and what is listed: paths from the top of the tree, or a name from LIBRARIES.
CORE = ["harness/core/"]
TORCH_FREE = ["harness/core/", "harness/statistics/", "harness/machine/", "harness/protocol/", "harness/trace/",
              "harness/registry/"]
WORKER = ["harness/core/", "harness/machine/", "harness/protocol/", "harness/trace/", "harness/registry/", "libtorch"]
MAY_USE = {
    "harness/core/": [],
    "harness/statistics/": CORE,
    "harness/machine/": CORE,
    "harness/protocol/": [*CORE, "harness/statistics/", "json"],
    "harness/trace/": [*CORE, "nvtx"],
    "harness/registry/": [*CORE, "harness/machine/"],
    "harness/scheduler/": TORCH_FREE,
    "harness/worker/": WORKER,
    "harness/worker/main.cpp": [*WORKER, "harness/worker/", "json"],
    "harness/worker/serve.cpp": [*WORKER, "harness/worker/", "json"],
    "harness/worker/cuda/": [*WORKER, "harness/worker/", "cuda", "nvtx"],
    "harness/cli/": [*TORCH_FREE, "harness/scheduler/", "reports/"],
    "harness/cli/command_line.cpp": [*TORCH_FREE, "harness/scheduler/", "harness/cli/", "reports/", "cli11"],
    # What they print as JSON is no document: there is no reader to share it with.
    "harness/cli/command_env.cpp": [*TORCH_FREE, "harness/cli/", "json"],
    "harness/cli/command_list.cpp": [*TORCH_FREE, "harness/cli/", "json"],
    # A plan is no document either: what reads it lies beside what writes it. Its file is read as a document's is.
    "harness/cli/dry_run.cpp": [*TORCH_FREE, "harness/scheduler/", "harness/cli/", "reports/", "json"],
    "harness/cli/plan_file": [*TORCH_FREE, "harness/cli/", "reports/load.hpp", "json"],
    "reports/": [*CORE, "harness/statistics/", "harness/protocol/", "json"],
    # A workload may build on another (ddp trains model). Its spec is linked into bench, its other files only into
    # the workers.
    "workloads/": [*CORE, "harness/machine/", "harness/registry/", "harness/trace/", "harness/worker/", "kernels/",
                   "libtorch"],
    "workloads/*/spec.cpp": [*CORE, "harness/machine/", "harness/registry/", "kernels/*/variants.hpp", "workloads/"],
    "kernels/": [*CORE, "highway", "cuda"],
}

LIBRARIES = {
    "libtorch": r"(ATen|c10|caffe2|torch)/",
    "json": r"nlohmann/",
    "cli11": r"CLI/",
    "nvtx": r"nvtx3/",
    "highway": r"hwy/",
    "cuda": r"(cuda|cub|curand|cusparse|cufft|thrust|cupti|nccl|cublas|cudnn|nv|mma)[\w./]*",
    "google-benchmark": r"benchmark/",
    "google-test": r"g(test|mock)/",
}
FREE = r"(fmt|sys|linux|asm|arpa|netinet|net)/|[a-z_0-9]+(\.h)?$"  # also <vector>, <unistd.h>, <immintrin.h>
OF_THE_TREE = r"(harness|workloads|kernels|reports|tests)/"
NEVER = r"torch/torch\.h$|torch/all\.h$|torch/extension\.h$"  # half a minute each: take the narrowest header instead

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def matches(path, pattern):
    """Whether `path` starts with `pattern`, where * stands for one folder."""
    return re.match(re.escape(pattern).replace(r"\*", "[^/]+"), path) is not None


def row_of(path):
    return max((row for row in MAY_USE if matches(path, row)), key=lambda row: (row.count("/"), len(row)))


def library_of(header):
    return next((name for name, pattern in LIBRARIES.items() if re.match(pattern, header)), None)


def fault_of(path, header):
    """Why the file at `path` must not include `header`, or None."""
    if re.match(NEVER, header):
        return "too broad a header"
    row = row_of(path)
    if re.match(OF_THE_TREE, header):
        allowed = any(matches(header, entry) for entry in [row, *MAY_USE[row]])
        return None if allowed else f"{row} may not use it"
    library = library_of(header)
    if library:
        return None if library in MAY_USE[row] else f"{row} may not use {library}"
    return None if re.match(FREE, header) else "neither a path from the top of the tree nor a known library"


def faults_in(path, text):
    return [f"{path} includes {header}: {fault}" for header in INCLUDE.findall(text)
            if (fault := fault_of(path, header))]


def folder_of(pattern):
    """The folder of the table that a row, or what a row lists, lies in."""
    folders = [row for row in MAY_USE if row.endswith("/") and pattern.startswith(row)]
    return max(folders, key=len, default=None)


def folder_graph(table):
    """Which folders each folder uses, taking each row for its folder."""
    graph = {}
    for row, entries in table.items():
        used = {folder_of(entry) for entry in entries} - {None, folder_of(row)}
        graph.setdefault(folder_of(row), set()).update(used)
    return graph


def sources():
    for folder in ("harness", "workloads", "kernels", "reports"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cpp", ".hpp", ".h", ".cu", ".cuh"):
                yield path


class Layering(unittest.TestCase):
    def test_the_tree_keeps_to_the_table(self):
        files = list(sources())
        self.assertGreater(len(files), 10)
        faults = [fault for path in files
                  for fault in faults_in(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))]
        self.assertFalse(faults, "\n" + "\n".join(faults))

    def test_no_two_folders_use_each_other_however_indirectly(self):
        graphlib.TopologicalSorter(folder_graph(MAY_USE)).prepare()  # raises CycleError, which names the way round
        with self.assertRaises(graphlib.CycleError):
            graphlib.TopologicalSorter(folder_graph(MAY_USE | {"reports/": ["harness/cli/"]})).prepare()

    def test_the_commands_alone_use_the_reports(self):
        users = {folder for folder, used in folder_graph(MAY_USE).items() if "reports/" in used}
        self.assertEqual(users, {"harness/cli/"})
        self.assertEqual(folder_graph(MAY_USE)["reports/"],
                         {"harness/core/", "harness/statistics/", "harness/protocol/"})

    def test_command_line_library_stays_in_one_file(self):
        users = [path.relative_to(ROOT).as_posix() for path in sources()
                 if "cli11" in map(library_of, INCLUDE.findall(path.read_text(encoding="utf-8")))]
        self.assertLessEqual(len(users), 1, users)

    def test_made_up_violations_are_found(self):
        for path, header in [
            ("harness/core/case.cpp", "harness/machine/machine.hpp"),
            ("harness/core/case.cpp", "nlohmann/json.hpp"),
            ("harness/statistics/median.hpp", "harness/scheduler/clock.hpp"),
            ("harness/scheduler/journal.cpp", "nlohmann/json.hpp"),
            ("harness/scheduler/run_case.cpp", "harness/worker/device.hpp"),
            ("harness/scheduler/run_case.cpp", "ATen/core/Tensor.h"),
            ("harness/worker/cpu_device.cpp", "nlohmann/json.hpp"),
            ("harness/worker/cpu_device.cpp", "harness/scheduler/clock.hpp"),
            ("harness/worker/cpu_device.cpp", "torch/torch.h"),
            ("harness/worker/cpu_device.cpp", "cuda_runtime.h"),
            ("harness/cli/command_run.cpp", "CLI/CLI.hpp"),
            ("harness/cli/main.cpp", "harness/worker/device.hpp"),
            ("harness/scheduler/journal.cpp", "reports/load.hpp"),
            ("reports/markdown.cpp", "harness/cli/run_names.hpp"),
            ("reports/markdown.cpp", "harness/scheduler/run_case.hpp"),
            ("reports/markdown.cpp", "harness/registry/registry.hpp"),
            ("reports/markdown.cpp", "harness/worker/device.hpp"),
            ("workloads/model/spec.cpp", "ATen/core/Tensor.h"),
            ("workloads/model/spec.cpp", "harness/worker/workload.hpp"),
            ("workloads/model/spec.cpp", "kernels/attention/cpu/flash.hpp"),
            ("workloads/model/step.cpp", "harness/scheduler/clock.hpp"),
            ("kernels/attention/cuda/flash.cu", "c10/core/ScalarType.h"),
            ("kernels/attention/cuda/flash.cu", "harness/worker/device.hpp"),
            ("harness/core/case.cpp", "case.hpp"),
            ("harness/core/case.cpp", "gtest/gtest.h"),
        ]:
            with self.subTest(path=path, header=header):
                self.assertEqual(len(faults_in(path, f'int a;\n  #  include "{header}"\n')), 1)

    def test_what_the_table_allows_passes(self):
        for path, header in [
            ("harness/core/case.cpp", "harness/core/case.hpp"),
            ("harness/core/text.cpp", "fmt/format.h"),
            ("harness/machine/cpu.cpp", "sys/sysinfo.h"),
            ("harness/protocol/json.hpp", "nlohmann/json_fwd.hpp"),
            ("harness/worker/cuda/events.cpp", "cuda_runtime.h"),
            ("harness/worker/main.cpp", "nlohmann/json.hpp"),
            ("harness/cli/command_line.cpp", "CLI/CLI.hpp"),
            ("workloads/model/spec.cpp", "kernels/attention/variants.hpp"),
            ("workloads/model/step.cpp", "ATen/ops/matmul.h"),
            ("kernels/attention/cpu/flash.cpp", "hwy/highway.h"),
        ]:
            with self.subTest(path=path, header=header):
                self.assertEqual(faults_in(path, f"#include <{header}>\n"), [])


if __name__ == "__main__":
    unittest.main()
