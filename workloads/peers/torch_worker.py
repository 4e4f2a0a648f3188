#!/usr/bin/env python3
"""Serves bench as bench-worker does, from Python: PyTorch eager and torch.compile as rows of the same table.

bench starts it; harness/protocol/README.md describes what is said. It has no trace and no counter passes, and on the CPU
no memory pass: PyTorch's CPU allocator keeps no peak.
"""

import argparse
import ctypes
import faulthandler
import json
import os
import pathlib
import queue
import resource
import signal
import sys
import threading

PROTOCOL = 1
HELLO_LIMIT_S = 120  # harness/scheduler/process_worker.cpp
PR_SET_PDEATHSIG = 1


def live_and_die_with(parent):
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the line above
        os._exit(0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def volunteer_for_the_oom_killer():
    try:
        pathlib.Path("/proc/self/oom_score_adj").write_text("800")
    except OSError:
        pass
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Channel:
    """The two descriptors that bench handed to this process. A thread reads commands, so that the pipe's closing (bench
    is gone) ends the process at once, even in the middle of a step."""

    def __init__(self, command_fd, event_fd):
        for descriptor in (command_fd, event_fd):
            os.set_inheritable(descriptor, False)  # compilers that torch.compile starts must not hold them open
        self._command_fd, self._event_fd = command_fd, event_fd
        self._lines = queue.SimpleQueue()
        threading.Thread(target=self._read_until_closed, daemon=True).start()

    def _read_until_closed(self):
        with open(self._command_fd, "rb", buffering=0, closefd=False) as pipe:
            partial = b""
            while received := pipe.read(65536):
                *lines, partial = (partial + received).split(b"\n")
                for line in lines:
                    self._lines.put(line)
        os._exit(0)

    def command(self):
        return json.loads(self._lines.get())

    def emit(self, event, slot=0, **members):
        rest = json.dumps({"event": event, "slot": slot, "rank": 0, **members}).encode() + b"\n"
        try:
            while rest:
                rest = rest[os.write(self._event_fd, rest):]
        except OSError:
            os._exit(0)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command-fd", type=int, required=True)
    parser.add_argument("--event-fd", type=int, required=True)
    parser.add_argument("--parent-pid", type=int, required=True)
    parser.add_argument("--build-id", required=True, help="bench's own: this script's text is part of it")
    parser.add_argument("--device", default="cpu", help="cpu or cuda:N")
    parser.add_argument("--memory-budget", type=int, default=0,
                        help="bytes that tensors may take; on the CPU the private memory of this process, and 1 GiB more")
    parser.add_argument("--memory-limit", type=int, default=0, help="bytes: the same for cases, but not for their checks")
    parser.add_argument("--host-defaults", action="store_true", help="leave denormals as the libraries have them")
    return parser.parse_args()


def describe_this_worker(device, flushing, arguments):
    import torch
    from torch_devices import empty_sample_ns, threads_of_a_region

    libraries = {"torch": torch.__version__, "python": sys.version.split()[0]}
    if device.type == "cuda":
        libraries |= {"cuda": str(torch.version.cuda), "cudnn": str(torch.backends.cudnn.version())}
    conditions = {"threads": str(threads_of_a_region()), "denormals": "flushed" if flushing else "kept",
                  "allocator": "PyTorch's own", "garbage collector": "on", "compile caches": "cold",
                  "tf32": "off but for precision tf32", "cudnn.benchmark": "off"}
    return {"protocol": PROTOCOL, "program": "torch_worker", "build_id": arguments.build_id,
            "devices": [arguments.device], "libraries": libraries, "conditions": conditions,
            "empty_sample_ns": empty_sample_ns(device)}


def main():
    arguments = parse_arguments()
    live_and_die_with(arguments.parent_pid)
    volunteer_for_the_oom_killer()
    channel = Channel(arguments.command_fd, arguments.event_fd)

    # From here on: seconds of loading, in which bench may already have gone. It gives up after 120 s without a hello;
    # what was going on then, or in a crash, is in the log.
    faulthandler.enable()
    faulthandler.dump_traceback_later(HELLO_LIMIT_S - 10)
    from torch_devices import CpuDevice, CudaDevice, flush_denormals
    from torch_session import Session

    on_cpu = arguments.device == "cpu"
    device = (CpuDevice(arguments.memory_budget, arguments.memory_limit) if on_cpu
              else CudaDevice(arguments.device, arguments.memory_budget))
    flushing = not arguments.host_defaults and flush_denormals(True)
    session = Session(device, flushing, channel)
    channel.emit("hello", **describe_this_worker(device, flushing, arguments))
    faulthandler.cancel_dump_traceback_later()
    while (command := channel.command())["command"] != "quit":
        session.handle(command)
    sys.stdout.flush()
    os._exit(0)  # as the native worker: destructors do nothing for anyone


if __name__ == "__main__":
    main()
