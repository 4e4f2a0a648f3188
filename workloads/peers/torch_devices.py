"""What torch_worker's steps run on, and the floating-point state of all threads."""

import ctypes
import os
import statistics
import time

import torch

libc = ctypes.CDLL(None)
# glibc's numbers; Python's os.sysconf_names lacks them.
SC_LEVEL2_CACHE_SIZE, SC_LEVEL3_CACHE_SIZE = 191, 194


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


class CpuDevice:
    type = "cpu"

    def __init__(self):
        self.torch_device = torch.device("cpu")
        self._eviction = None

    mark = staticmethod(monotonic_ns)

    def synchronize(self):
        pass

    def expect_marks(self, count):
        pass

    def between_ns(self, first, second):
        return second - first

    def device_ns(self, first, second):
        return None

    def allocated_bytes(self):
        return 0

    def reset_peak(self):
        pass

    def memory_since_reset(self):
        return None

    def empty_cache(self):
        libc.malloc_trim(0)

    def evict_caches(self):
        if self._eviction is None:
            last_level = max(os.sysconf(SC_LEVEL3_CACHE_SIZE), os.sysconf(SC_LEVEL2_CACHE_SIZE))
            size = 2 * (last_level if last_level > 0 else 64 << 20) + (1 << 20)
            self._eviction = torch.zeros(size, dtype=torch.uint8)
        self._eviction.add_(1)


class CudaDevice:
    type = "cuda"

    def __init__(self, name):
        self.torch_device = torch.device(name)
        torch.cuda.set_device(self.torch_device)
        torch.zeros(1, device=self.torch_device)
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

    def evict_caches(self):
        if self._eviction is None:
            l2 = torch.cuda.get_device_properties(self.torch_device).L2_cache_size
            self._eviction = torch.zeros(2 * l2 + (1 << 20), dtype=torch.uint8, device=self.torch_device)
        self._eviction.add_(1)


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
