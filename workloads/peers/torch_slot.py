"""What slots of all workloads have in common: caches, compilation, capture, samples, memory."""

import contextlib
import time

import torch

from torch_devices import captured, flush_denormals, monotonic_ns

LONGEST_DELAY_NS = 20_000_000  # as in harness/worker/slot.cpp
GRAPHED_MODES = ("reduce-overhead", "max-autotune")  # in which Inductor makes CUDA graphs


class Slot:
    """A case in the order check, prepare_timed, sample..., verify, observe.

    A workload's own has, besides verify(): configuration (with .graph and .compile_mode) and phase_names, set before this
    class's constructor; _check(), _build(), _step(mark), which calls mark() where a phase begins or ends, and what it
    wants of the hooks below."""

    def __init__(self, command, device, flushing, progress):
        self._device, self._flushing, self._progress = device, flushing, progress
        self._seed, self._fault = command["seed"], command["inject_fault"]
        self._cold = command["cache"] == "cold"
        self._leads_with_device_time = command["headline"] == "device"
        self._check_file = command["check_file"]
        if self.configuration.graph and device.type != "cuda":
            raise ValueError("--timing graph needs CUDA")
        if self.configuration.graph:
            self.phase_names = []
        self.compile_ns = None
        self._graph = self._capture_memory = None
        self._launching_ns = 0  # what the host took for one step of the last sample
        self._launch_cpu_ns = 0
        self._measured = self._outrun = 0  # samples; those whose delay ended before all launches were made

    def enter(self):
        """The process-wide flags of this slot's case, which may not be those of another slot's. Everything else that
        PyTorch might choose by itself is off."""
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = self.allows_tf32
        torch.backends.cudnn.benchmark = False

    # ---- hooks

    allows_tf32 = False

    def _first_call(self):
        """Everything that is compiled, once."""

    def _forget_results(self):
        """Before a capture: what earlier steps left."""

    def _after_capture(self):
        pass

    def _fell_short(self):
        """Asked after each sample, untimed: whether it did less than it should, so that its time counts for nothing."""
        return False

    def _before_sample(self):
        pass

    # ---- commands

    def check(self):
        flush_denormals(False)  # references and checks see IEEE arithmetic
        try:
            with self._cold_caches(), self._device.case_limit_lifted():
                return self._check()
        finally:
            if self._flushing:
                flush_denormals(True)

    def prepare_timed(self):
        self._build()
        if self.configuration.compile_mode is not None:
            self._compile()
        if self.configuration.graph:
            self._capture()
        self._device.synchronize()
        if self._flushing:  # Inductor's code may have brought an OpenMP runtime with threads of its own
            flush_denormals(True)

    def _cold_caches(self):
        """Inductor's caches on disk and in memory would make a second compilation look free."""
        if self.configuration.compile_mode is None:
            return contextlib.nullcontext()
        from torch._inductor.utils import fresh_cache

        return fresh_cache()

    def _compile(self):
        """The first call, apart from every sample."""
        self._progress("compile", 0, 1)
        begin = monotonic_ns()
        with self._cold_caches():
            self._first_call()
            self._device.synchronize()
        self.compile_ns = monotonic_ns() - begin

    def _capture(self):
        """The whole step as one CUDA graph."""

        def forget():
            self._forget_results()
            self._device.reset_peak()

        self._graph, _ = captured(lambda: self._step(lambda: None), forget)
        # A replay allocates nothing: what a step holds is what the capture held.
        self._capture_memory = self._device.memory_since_reset()
        self._after_capture()

    def sample(self, kind, steps):
        device = self._device
        self._before_sample()
        if self._cold:
            device.evict_caches()
        phases, each = len(self.phase_names), len(self.phase_names) + 1
        device.expect_marks(2 + steps * each)
        device.synchronize()
        marks, take_mark = [], device.mark

        def mark():
            marks.append(take_mark())

        if self._graph is not None:
            step = lambda _: self._graph.replay()
        else:
            step = self._step
        cpu_before_ns = time.process_time_ns()
        begin_ns = monotonic_ns()
        if self._leads_with_device_time:  # launches queue up, so that the device never waits for the host
            device.hold_back(min(self._launching_ns * steps * 3 // 2, LONGEST_DELAY_NS))
        first = take_mark()
        for _ in range(steps):
            step(mark)
        last = take_mark()
        self._launching_ns = (monotonic_ns() - begin_ns) // steps
        self._launch_cpu_ns += time.process_time_ns() - cpu_before_ns
        outrun = self._leads_with_device_time and device.has_passed(first)
        device.synchronize()
        host_ns = monotonic_ns() - begin_ns

        phase_ns = [0] * phases
        for start in range(0, len(marks), each):
            for i in range(phases):
                phase_ns[i] += device.between_ns(marks[start + i], marks[start + i + 1])
        if self._fell_short() and kind == "measured":
            kind = "replaced"
        if kind == "measured":
            self._measured += 1
            self._outrun += outrun
        sample = {"begin_ns": begin_ns, "host_ns": host_ns, "phase_ns": phase_ns, "steps": steps, "kind": kind,
                  "rank": 0}
        if (device_ns := device.device_ns(first, last)) is not None:
            sample["device_ns"] = device_ns
        return sample

    def counters(self):
        """As harness/worker/slot.cpp's."""
        sums = self._device.counters()
        if self._device.type == "cuda" and not self._leads_with_device_time:
            sums["launch_cpu_ns"] = self._launch_cpu_ns
        return sums

    def notes(self):
        """As harness/worker/slot.cpp's."""
        notes = []
        if 2 * self._outrun >= max(1, self._measured):
            notes.append("more launches than can be queued up: the device may have waited for some, and its times hold those "
                         "waits")
        if self._device.type == "cuda" and self.configuration.compile_mode in GRAPHED_MODES and self._graph is None:
            notes.append("no peak of memory: what a step holds lies in the pool of Inductor's CUDA graphs")
        return notes

    def observe_memory(self):
        if self._capture_memory is not None:
            return self._capture_memory
        if self.configuration.compile_mode is not None:
            self._step(lambda: None)  # a check after the samples has let go of the compiled code
        self._device.synchronize()
        if self.configuration.compile_mode in GRAPHED_MODES:
            return None  # what a step holds lies in the pool of Inductor's graphs, which the allocator takes for idle
        self._device.forget_leftovers()
        looks = []  # before, in, between and after the phases

        def look():
            looks.append(self._device.memory_since_reset())
            self._device.reset_peak()

        self._device.reset_peak()
        self._step(look)
        look()
        if looks[0] is None:  # the CPU
            return None
        whole = dict(max(looks, key=lambda memory: memory["peak_allocated_bytes"]))
        whole["before_bytes"] = looks[0]["before_bytes"]
        whole["phases"] = [{"phase": name, "before_bytes": memory["before_bytes"],
                            "peak_allocated_bytes": memory["peak_allocated_bytes"]}
                           for name, memory in zip(self.phase_names, looks[1:])]
        return whole
