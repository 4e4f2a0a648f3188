"""What torch_worker's steps run on, and the floating-point state of all threads."""

import contextlib
import ctypes
import glob
import os
import resource
import statistics
import time

import torch

libc = ctypes.CDLL(None)


def monotonic_ns():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def openmp_runtimes():
    """Every libgomp of this process: LibTorch's own, and the one that Inductor's code may bring."""
    with open("/proc/self/maps") as maps:
        paths = {line.split(maxsplit=5)[5].strip() for line in maps if "libgomp" in line}
    return [ctypes.CDLL(path) for path in sorted(paths)]


def flush_denormals(flush):
    """On every pool thread: torch.set_flush_denormal acts on its caller alone. A team of OpenMP threads calls it."""
    done = [torch.set_flush_denormal(flush)]
    each = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: done.append(torch.set_flush_denormal(flush)))
    for runtime in openmp_runtimes():
        runtime.GOMP_parallel(each, None, ctypes.c_uint(torch.get_num_threads()), ctypes.c_uint(0))
    return all(done)


def threads_of_a_region():
    """What a parallel region really gets: OMP_THREAD_LIMIT and the like leave it fewer than PyTorch asks for."""
    seen = []
    each = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: seen.append(None))
    openmp_runtimes()[0].GOMP_parallel(each, None, ctypes.c_uint(torch.get_num_threads()), ctypes.c_uint(0))
    return len(seen)


def limit_private_memory(limit_bytes):
    """PyTorch's allocator cannot be given a budget on the CPU: too large a case meets the kernel's limit, which can be
    caught. A GiB on top is for everything else, as in bench-worker."""
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    wanted = limit_bytes + (1 << 30) if limit_bytes > 0 else hard
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard < 0 else min(wanted, hard), hard))


class CpuDevice:
    type = "cpu"

    def __init__(self, budget_bytes, case_limit_bytes):
        """`budget_bytes`: what this machine has; `case_limit_bytes`: what a case may use of it. 0: no such limit."""
        self.torch_device = torch.device("cpu")
        self._budget_bytes = budget_bytes
        self._case_bytes = min((b for b in (budget_bytes, case_limit_bytes) if b > 0), default=0)
        self._eviction = None
        limit_private_memory(self._case_bytes)

    @contextlib.contextmanager
    def case_limit_lifted(self):
        """For checks, which have the machine's budget."""
        limit_private_memory(self._budget_bytes)
        try:
            yield
        finally:
            limit_private_memory(self._case_bytes)

    def usable(self):
        return True

    mark = staticmethod(monotonic_ns)

    def synchronize(self):
        pass

    def expect_marks(self, count):
        pass

    def between_ns(self, first, second):
        return second - first

    def device_ns(self, first, second):
        return None

    def hold_back(self, ns):
        pass

    def has_passed(self, mark):
        return True

    def counters(self):
        return {}

    def allocated_bytes(self):
        return 0

    def reset_peak(self):
        pass

    def memory_since_reset(self):
        return None

    def empty_cache(self):
        libc.malloc_trim(0)

    forget_leftovers = empty_cache

    def evict_caches(self):
        if self._eviction is None:
            self._eviction = torch.zeros(2 * last_level_cache_bytes() + (1 << 20), dtype=torch.uint8)
        self._eviction.add_(1)


def last_level_cache_bytes():
    """As harness/machine/caches.cpp finds it; 64 MiB where sysfs says nothing."""
    found = 0
    for size in glob.glob("/sys/devices/system/cpu/cpu0/cache/index*/size"):
        with open(os.path.join(os.path.dirname(size), "level")) as level, open(size) as text:
            if int(level.read()) >= 2:
                found = max(found, int(text.read().strip().removesuffix("K")) << 10)
    return found or 64 << 20


class CudaDevice:
    type = "cuda"

    def __init__(self, name, limit_bytes):
        self.torch_device = torch.device(name)
        torch.cuda.set_device(self.torch_device)
        # As in C++, all work goes to one stream that is not the default: the nodes that accumulate gradients keep the
        # stream they were made on, and a capture must not wait for the default one.
        torch.cuda.set_stream(torch.cuda.Stream(self.torch_device))
        torch.zeros(1, device=self.torch_device)
        if limit_bytes > 0:
            total = torch.cuda.get_device_properties(self.torch_device).total_memory
            torch.cuda.set_per_process_memory_fraction(min(1.0, limit_bytes / total))
        self._events, self._used, self._before, self._eviction = [], 0, 0, None

    def synchronize(self):
        torch.cuda.synchronize()

    def mark(self):
        event = self._events[self._used]
        self._used += 1
        event.record()
        return event

    def expect_marks(self, count):
        """Forgets all marks; `count` new ones will be asked for without creating events meanwhile."""
        while len(self._events) < count:
            self._events.append(torch.cuda.Event(enable_timing=True))
            self._events[-1].record()  # the event itself is made on its first use
        torch.cuda.synchronize()
        self._used = 0

    def between_ns(self, first, second):
        return round(first.elapsed_time(second) * 1e6)

    device_ns = between_ns

    case_limit_lifted = staticmethod(contextlib.nullcontext)

    def usable(self):
        """False once an illegal address or an assertion has taken the CUDA context along."""
        try:
            torch.zeros(1, device=self.torch_device).add_(1)
            torch.cuda.synchronize()
        except Exception:
            return False
        return True

    def hold_back(self, ns):
        """Keeps the device busy for at least so long; no GPU's clock exceeds 3 GHz."""
        torch.cuda._sleep(3 * ns)

    def has_passed(self, mark):
        return mark.query()

    def counters(self):
        return {"device_mallocs": torch.cuda.memory_stats().get("num_device_alloc", 0)}

    def allocated_bytes(self):
        return torch.cuda.memory_allocated()

    def reset_peak(self):
        torch.cuda.reset_peak_memory_stats()
        self._before = torch.cuda.memory_allocated()

    def memory_since_reset(self):
        peak = torch.cuda.max_memory_allocated()
        return {"before_bytes": self._before, "peak_allocated_bytes": peak, "peak_by_category": {"other": peak}}

    def empty_cache(self):
        torch.cuda.empty_cache()

    def forget_leftovers(self):
        """What is no step's and yet in the allocator's statistics: cuBLAS's workspaces of a verification, the buffer that
        evicts caches. Not while a graph lives that was captured with their addresses."""
        self._eviction = None
        torch._C._cuda_clearCublasWorkspaces()
        torch.cuda.empty_cache()

    def evict_caches(self):
        if self._eviction is None:
            l2 = torch.cuda.get_device_properties(self.torch_device).L2_cache_size
            self._eviction = torch.zeros(3 * l2, dtype=torch.uint8, device=self.torch_device)
        self._eviction.add_(1)


def captured(step, before_capture=lambda: None):
    """One call of step as a CUDA graph, after three outside it, as PyTorch's documentation asks, all on the current
    stream; and what it returned, which replays write again."""
    for _ in range(3):
        step()
    torch.cuda.synchronize()
    before_capture()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=torch.cuda.current_stream()):
        output = step()
    return graph, output


def empty_sample_ns(device):
    """What a sample of no step takes: this worker's own share of every sample. Median of 101."""
    times = []
    for _ in range(101):
        device.synchronize()
        device.expect_marks(2)
        begin = monotonic_ns()
        device.mark()
        device.mark()
        device.synchronize()
        times.append(monotonic_ns() - begin)
    return int(statistics.median(times))
