"""torch_worker's side of the protocol, apart from how its lines travel: slots, commands in, events out."""

import gc
import os
import resource
import sys
import traceback

import torch

from torch_attention_slot import AttentionSlot
from torch_devices import monotonic_ns
from torch_model_slot import ModelSlot

SLOTS = {"attention": AttentionSlot, "model": ModelSlot}  # by workload
STREAM_INTERVAL_NS = 250_000_000  # the protocol promises samples every 500 ms


def chain(error):
    while error is not None:
        yield error
        error = getattr(error, "inner_exception", None) or error.__cause__


# As harness/worker/failure.cpp knows them.
OUT_OF_MEMORY = ("can't allocate memory", "CUDA error: out of memory", "CUBLAS_STATUS_ALLOC_FAILED")


def describe_failure(error, phase):
    """What an exception means for its case: a status and one sentence."""
    for cause in chain(error):
        if (isinstance(cause, (torch.OutOfMemoryError, MemoryError))
                or any(words in str(cause) for words in OUT_OF_MEMORY)):
            return "out_of_memory", f"{phase}: {first_line(cause) or 'the system gave no more memory'}"
    *_, deepest = chain(error)
    return "failed", f"{phase}: {type(deepest).__name__}: {first_line(deepest)}"


def first_line(error):
    return next((line.strip() for line in str(error).splitlines() if line.strip()), "")


def counters(slot):
    """Sums so far, whose growth is a batch's."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    values = slot.counters() | {"minor_faults": usage.ru_minflt, "involuntary_switches": usage.ru_nivcsw}
    try:
        with open("/proc/stat") as stat:
            values["steal_ms"] = int(stat.readline().split()[8]) * 1000 / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        pass
    return values


class Session:
    def __init__(self, device, flushing, channel):
        self._device, self._flushing, self._channel, self._slots = device, flushing, channel, {}

    def handle(self, command):
        """Does one command; the last event it emits is prepared, done or failed."""
        slot, name = command.get("slot", 0), command["command"]
        handlers = {"prepare": (self._prepare, "set-up"), "check": (self._check, "check"),
                    "measure": (self._measure, "warm-up" if command.get("kind") == "warm-up" else "samples"),
                    "verify": (self._verify, "verification"), "observe": (self._observe, f"{command.get('pass')} pass"),
                    "release": (self._release, "release")}
        handler, self._phase = handlers.get(name, (self._unknown, name))
        try:
            handler(slot, command)
            return
        except Exception as error:  # data for bench, whatever it is: one case must not end the worker
            traceback.print_exc()  # the whole story goes to the log
            status, reason = describe_failure(error, self._phase)
        # Out here, where the exception's frames no longer hold tensors. What a failed capture leaves is not to be trusted.
        unusable = self._capturing(slot) or not self._device.usable()
        if unusable:
            self._slots.pop(slot, None)
        else:
            self._free(slot)
        self._channel.emit("failed", slot, status=status, reason=reason, worker_unusable=unusable)

    def _capturing(self, number):
        slot = self._slots.get(number)
        return slot is not None and slot.configuration.graph and self._phase in ("check", "set-up of the timed state")

    def _unknown(self, slot, command):
        raise ValueError("torch_worker does not know this command")

    def _slot(self, number):
        if number not in self._slots:
            raise LookupError(f"slot {number} holds no prepared case")
        self._slots[number].enter()
        return self._slots[number]

    def _free(self, slot):
        self._slots.pop(slot, None)
        self._let_go(slot)

    def _let_go(self, slot):
        """Frees what a check or a released case has left. Compiled code holds on to its model; but that of another slot
        must stay: it would be compiled again inside a sample."""
        others = [other for number, other in self._slots.items() if number != slot]
        if "torch._dynamo" in sys.modules and all(other.configuration.compile_mode is None for other in others):
            torch._dynamo.reset()
        gc.collect()
        self._device.empty_cache()

    def _checked(self, number):
        try:
            return self._slot(number).check()
        finally:
            self._let_go(number)

    def _prepare(self, number, command):
        self._free(number)

        def progress(phase, done, total):
            self._channel.emit("progress", number, phase=phase, done=done, total=total)

        make_slot = SLOTS[command["case"]["workload"]]
        slot = self._slots[number] = make_slot(command, self._device, self._flushing, progress)
        answer = {"check": {"passed": True, "reason": "", "items": []}, "phase_names": slot.phase_names,
                  "allocated_bytes": 0}
        if command["check"]:
            self._phase = "check"
            progress("check", 0, 1)
            answer["check"] = self._checked(number)
        if answer["check"]["passed"]:  # a wrong result gets no time
            self._phase = "set-up of the timed state"
            self._slot(number).prepare_timed()
            answer["allocated_bytes"] = self._device.allocated_bytes()
            if slot.compile_ns is not None:
                answer["compile_ns"] = slot.compile_ns
        self._channel.emit("prepared", number, **answer)

    def _measure(self, number, command):
        slot, kind = self._slot(number), command["kind"]
        batch, sent_at, before = [], monotonic_ns(), counters(slot)
        for _ in range(command["samples"]):
            batch.append(slot.sample(kind, command["steps_per_sample"]))
            if monotonic_ns() - sent_at >= STREAM_INTERVAL_NS:
                self._channel.emit("samples", number, samples=batch)
                batch, sent_at = [], monotonic_ns()
        if batch:
            self._channel.emit("samples", number, samples=batch)
        grown = {name: max(0, after - before[name]) for name, after in counters(slot).items() if name in before}
        self._channel.emit("done", number, counters=grown)

    def _check(self, number, command):
        self._channel.emit("done", number, check=self._checked(number), counters={})

    def _verify(self, number, command):
        self._channel.emit("done", number, check=self._slot(number).verify(), notes=self._slot(number).notes(),
                           counters={})

    def _observe(self, number, command):
        if command["pass"] != "memory":
            raise ValueError(f"this worker has no pass \"{command['pass']}\"")
        memory = self._slot(number).observe_memory()
        self._channel.emit("done", number, **({} if memory is None else {"memory": memory}), counters={})

    def _release(self, number, command):
        self._free(number)
        self._channel.emit("done", number, counters={})
