"""torch_worker's side of the protocol, apart from how its lines travel: slots, commands in, events out."""

import contextlib
import gc
import os
import resource
import sys
import traceback

import torch

import torch_check
import torch_model
from torch_devices import captured, flush_denormals, monotonic_ns

STREAM_INTERVAL_NS = 250_000_000  # the protocol promises samples every 500 ms


class Fingerprint:
    """The sums of a tensor's rows and columns, read as integers: an exact trace of its bits in far fewer bytes."""

    def __init__(self, tensor):
        bits = tensor.detach().contiguous().view(torch.int16 if tensor.element_size() == 2 else torch.int32)
        bits = bits.flatten(0, -2)
        self.rows, self.columns = bits.sum(1, dtype=torch.int64), bits.sum(0, dtype=torch.int64)

    def __eq__(self, other):
        return torch.equal(self.rows, other.rows) and torch.equal(self.columns, other.columns)


class Slot:
    """A case in the order check, prepare_timed, sample..., verify, observe."""

    def __init__(self, command, device, flushing, progress):
        self._device, self._flushing, self._progress = device, flushing, progress
        self._seed, self._fault = command["seed"], command["inject_fault"]
        self._cold = command["cache"] == "cold"
        self._check_file = command["check_file"]
        self.configuration = torch_model.Configuration.of(command["case"]["parameters"],
                                                          command.get("timing", "blocking"))
        if self._fault and self._fault not in torch_model.FAULTS:
            raise ValueError(f"model knows no fault {self._fault}; valid: {', '.join(torch_model.FAULTS)}")
        if self.configuration.graph and device.type != "cuda":
            raise ValueError("--timing graph needs CUDA")
        self.phase_names = [] if self.configuration.graph else torch_model.PHASES[self.configuration.mode]
        self.compile_ns = None
        self._run = self._graph = None
        self._first_logits = self._first_output = self._last_loss = self._capture_memory = None

    def check(self):
        flush_denormals(False)  # references and checks see IEEE arithmetic
        try:
            with self._cold_caches(), self._device.case_limit_lifted():
                return torch_check.check(self.configuration, self._device.torch_device, self._fault, self._check_file)
        finally:
            if self._flushing:
                flush_denormals(True)

    def prepare_timed(self):
        c, device = self.configuration, self._device.torch_device
        model = torch_model.make_model(c, device, self._fault, seed=self._seed)
        self._tokens, self._targets = torch_model.random_batch(c, device)
        self._run = torch_model.Run(c, model, device, self._fault)
        self._step = self._infer if c.mode == "forward" else self._learn
        if c.compile_mode is not None:
            self._compile()
        if c.graph:
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
        """The first call, apart from every sample. No update: the timed weights stay the seeded ones."""
        self._progress("compile", 0, 1)
        begin = monotonic_ns()
        with self._cold_caches():
            if self.configuration.mode == "forward":
                self._first_output = Fingerprint(self._run.logits(self._tokens))
            else:
                self._run.backward(self._run.loss(self._tokens, self._targets))
                self._run.zero_gradients()
            self._device.synchronize()
        self.compile_ns = monotonic_ns() - begin

    def _capture(self):
        """The whole step as one CUDA graph."""

        def forget():
            self._first_logits = self._last_loss = None
            self._device.reset_peak()

        self._graph, _ = captured(lambda: self._step(lambda: None), forget)
        # A replay allocates nothing: what a step holds is what the capture held.
        self._capture_memory = self._device.memory_since_reset()
        if self.configuration.mode == "forward":
            self._graph.replay()
            self._first_output = Fingerprint(self._first_logits)

    def _infer(self, mark):
        mark()
        logits = self._run.logits(self._tokens)
        if self._first_output is None or self._graph is not None:
            self._first_logits = logits
        mark()

    def _learn(self, mark):
        mark()
        loss = self._last_loss = self._run.loss(self._tokens, self._targets)
        mark()
        self._run.backward(loss)
        if self.configuration.mode == "train-step":
            mark()
            self._run.update()
        self._run.zero_gradients()
        mark()

    def _keep_first_output(self):
        """Outside of samples: the first call's logits become a fingerprint, and their memory is free again."""
        if self._first_output is None and self._first_logits is not None:
            self._first_output, self._first_logits = Fingerprint(self._first_logits), None

    def sample(self, kind, steps):
        device = self._device
        self._keep_first_output()
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
        begin_ns = monotonic_ns()
        first = take_mark()
        for _ in range(steps):
            step(mark)
        last = take_mark()
        device.synchronize()
        host_ns = monotonic_ns() - begin_ns

        phase_ns = [0] * phases
        for start in range(0, len(marks), each):
            for i in range(phases):
                phase_ns[i] += device.between_ns(marks[start + i], marks[start + i + 1])
        sample = {"begin_ns": begin_ns, "host_ns": host_ns, "phase_ns": phase_ns, "steps": steps, "kind": kind,
                  "rank": 0}
        if (device_ns := device.device_ns(first, last)) is not None:
            sample["device_ns"] = device_ns
        return sample

    def verify(self):
        def failed(reason):
            return {"passed": False, "reason": reason, "items": []}

        if self._last_loss is not None and not torch.isfinite(self._last_loss).all():
            return failed("the loss is not finite")
        for name, parameter in self._run.model.named_parameters():
            if not torch.isfinite(parameter).all():
                return failed(f"{name} is not finite")
        if self.configuration.mode == "forward":
            self._keep_first_output()
            logits = self._logits_again()
            if not torch.isfinite(logits).all():
                return failed("the logits are not finite")
            again = Fingerprint(logits)
            if again != self._first_output:
                return failed("the logits after timing differ from those of the first call for the same input")
            self._tokens.copy_(torch_model.random_batch(self.configuration, self._device.torch_device)[0])
            if Fingerprint(self._logits_again()) == again:
                return failed("a second input gives the same logits")
        return {"passed": True, "reason": "", "items": []}

    def _logits_again(self):
        if self._graph is None:
            return self._run.logits(self._tokens)
        self._graph.replay()
        return self._first_logits

    def observe_memory(self):
        if self._capture_memory is not None:
            return self._capture_memory
        if self.configuration.compile_mode is not None:
            self._step(lambda: None)  # a check after the samples has let go of the compiled code
        self._device.synchronize()
        self._device.reset_peak()
        self._step(lambda: None)
        self._device.synchronize()
        return self._device.memory_since_reset()


def chain(error):
    while error is not None:
        yield error
        error = getattr(error, "inner_exception", None) or error.__cause__


def describe_failure(error, phase):
    """What an exception means for its case: a status and one sentence."""
    for cause in chain(error):
        if (isinstance(cause, (torch.OutOfMemoryError, MemoryError))
                or "can't allocate memory" in str(cause)):
            return "out_of_memory", f"{phase}: {first_line(cause) or 'the system gave no more memory'}"
    *_, deepest = chain(error)
    return "failed", f"{phase}: {type(deepest).__name__}: {first_line(deepest)}"


def first_line(error):
    return next((line.strip() for line in str(error).splitlines() if line.strip()), "")


def counters():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    values = {"minor_faults": usage.ru_minflt, "involuntary_switches": usage.ru_nivcsw}
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
                    "verify": (self._verify, "verification"), "observe": (self._observe, "memory pass"),
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

        slot = self._slots[number] = Slot(command, self._device, self._flushing, progress)
        answer = {"check": {"passed": True, "reason": "", "items": []}, "phase_names": slot.phase_names,
                  "allocated_bytes": 0}
        if command["check"]:
            self._phase = "check"
            progress("check", 0, 1)
            answer["check"] = self._checked(number)
        if answer["check"]["passed"]:  # a wrong result gets no time
            self._phase = "set-up of the timed state"
            slot.prepare_timed()
            answer["allocated_bytes"] = self._device.allocated_bytes()
            if slot.compile_ns is not None:
                answer["compile_ns"] = slot.compile_ns
        self._channel.emit("prepared", number, **answer)

    def _measure(self, number, command):
        slot, kind = self._slot(number), command["kind"]
        batch, sent_at, before = [], monotonic_ns(), counters()
        for _ in range(command["samples"]):
            batch.append(slot.sample(kind, command["steps_per_sample"]))
            if monotonic_ns() - sent_at >= STREAM_INTERVAL_NS:
                self._channel.emit("samples", number, samples=batch)
                batch, sent_at = [], monotonic_ns()
        if batch:
            self._channel.emit("samples", number, samples=batch)
        grown = {name: max(0, after - before[name]) for name, after in counters().items() if name in before}
        self._channel.emit("done", number, counters=grown)

    def _check(self, number, command):
        self._channel.emit("done", number, check=self._checked(number), counters={})

    def _verify(self, number, command):
        self._channel.emit("done", number, check=self._slot(number).verify(), counters={})

    def _observe(self, number, command):
        if command["pass"] != "memory":
            raise ValueError(f"torch_worker has no pass {command['pass']}")
        memory = self._slot(number).observe_memory()
        self._channel.emit("done", number, **({} if memory is None else {"memory": memory}), counters={})

    def _release(self, number, command):
        self._free(number)
        self._channel.emit("done", number, counters={})
