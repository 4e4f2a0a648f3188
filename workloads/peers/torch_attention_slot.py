"""A case of workload attention in the Python worker: naive attention, compiled."""

import contextlib
import dataclasses
import importlib
import math
import random

import torch

from torch_check import CheckFile, Comparisons, norm
from torch_slot import Slot

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
PHASES = {"forward": ["forward"], "backward": ["backward"], "forward-backward": ["forward", "backward"]}
FAULTS = ("zero-output", "wrong-scale", "mask-off-by-one", "swapped-heads")
CHUNK = 1 << 23  # elements of an fp64 temporary in the verification


@dataclasses.dataclass
class Configuration:
    batch: int
    heads: int | None  # None: no such axis
    queries: int
    keys: int
    d_head: int
    causal: str
    dtype: torch.dtype
    mode: str
    graph: bool = False
    compile_mode: str | None = "default"

    @staticmethod
    def of(parameters, timing):
        """`parameters`: a case's, by their names in the case id."""
        if parameters["implementation"] != "torch-compile":
            raise ValueError(f"the peer has no implementation {parameters['implementation']}")
        return Configuration(parameters["batch"], parameters.get("heads"), parameters["sequence"], parameters["keys"],
                             parameters["d-head"], parameters["causal"], DTYPES[parameters["dtype"]],
                             parameters["mode"], timing == "graph")

    def shape(self, length):
        heads = () if self.heads is None else (self.heads,)
        return (self.batch, *heads, length, self.d_head)

    def diagonal(self, queries, keys):
        """A query sees the keys up to its own index plus this; None: all of them."""
        return {"no": None, "yes": 0, "bottom-right": keys - queries}[self.causal]


def attention_of(c, queries, keys, device, fault=""):
    """Naive attention, operator for operator that of workloads/attention/naive.cpp."""
    diagonal, hidden, blind = c.diagonal(queries, keys), None, None
    if diagonal is not None:
        diagonal += fault == "mask-off-by-one"
        hidden = torch.ones(queries, keys, dtype=torch.bool, device=device).triu(diagonal + 1)
        if diagonal < 0:  # the queries that see no key
            blind = (torch.arange(queries, device=device) + diagonal < 0).unsqueeze(1)
    scale = 1 / (c.d_head if fault == "wrong-scale" else math.sqrt(c.d_head))

    def naive(query, key, value):
        scores = query.matmul(key.transpose(-2, -1)).mul(scale)
        if hidden is not None:
            scores = scores.masked_fill(hidden, -math.inf)
        probabilities = scores.softmax(-1)
        if blind is not None:
            probabilities = probabilities.masked_fill(blind, 0)
        output = probabilities.matmul(value)
        if fault == "zero-output":
            output = output * 0
        return output.roll(1, 1) if fault == "swapped-heads" else output

    return naive


def compiled(function, c):
    importlib.import_module("torch._inductor")
    # A backward that is run again must not write over what the forward kept.
    torch._functorch.config.donated_buffer = c.mode != "backward"
    return torch.compile(function, fullgraph=True, dynamic=False)


class Rows:
    """The reference of some queries of one matrix, fp64, from the formulas: workloads/attention/reference.cpp."""

    def __init__(self, query, key, value, first, diagonal):
        """query: (rows, D), whose indices begin at `first`, or are `first`, a tensor."""
        score = query.double() @ key.double().T / math.sqrt(query.size(-1))
        index = first if torch.is_tensor(first) else torch.arange(first, first + query.size(0), device=query.device)
        if diagonal is not None:
            keys = torch.arange(key.size(0), device=query.device)
            score = score.masked_fill(keys - index.unsqueeze(1) > diagonal, -math.inf)
        shift = score.amax(-1, keepdim=True).clamp_min(-1e300)
        weights = torch.exp(score - shift)
        self.weights = weights / weights.sum(-1, keepdim=True).clamp_min(1e-300)
        self.output = self.weights @ value.double()

    def d_scores(self, d_output, value):
        mean = (d_output.double() * self.output).sum(-1, keepdim=True)
        return self.weights * (d_output.double() @ value.double().T - mean) / math.sqrt(value.size(-1))


class AttentionSlot(Slot):
    def __init__(self, command, device, flushing, progress):
        self.configuration = Configuration.of(command["case"]["parameters"], command.get("timing", "blocking"))
        if command["inject_fault"] and command["inject_fault"] not in FAULTS:
            raise ValueError(f"the peer knows no fault {command['inject_fault']}; valid: {', '.join(FAULTS)}")
        self.phase_names = PHASES[self.configuration.mode]
        self._output = None
        super().__init__(command, device, flushing, progress)

    def _check(self):
        c, file, comparisons = self.configuration, CheckFile(self._check_file, self._device.torch_device), Comparisons()
        learns = c.mode != "forward"
        for n in range(2):
            query, key, value = (file.tensor(f"{n}.{name}").requires_grad_(learns) for name in ("query", "key", "value"))
            attend = compiled(attention_of(c, query.size(-2), key.size(-2), query.device, self._fault), c)
            with torch.set_grad_enabled(learns):
                output = attend(query, key, value)
            allowed = iter(file.tensor(f"{n}.allowed").tolist())
            right = file.tensor(f"{n}.output")
            self._compare(comparisons, "O", output, right, norm(right), right.abs().max(), allowed)
            if not learns:
                continue
            output.backward(file.tensor(f"{n}.d_output"))
            rights = [file.tensor(f"{n}.{name}") for name in ("d_query", "d_key", "d_value")]
            whole = math.hypot(*(norm(right) for right in rights))
            most = max(right.abs().max() for right in rights)
            for name, leaf, right in zip(("dQ", "dK", "dV"), (query, key, value), rights):
                self._compare(comparisons, name, leaf.grad, right, whole, most, allowed)
        return comparisons.check()

    @staticmethod
    def _compare(comparisons, of, value, right, whole, most, allowed):
        difference = value.detach().double() - right
        comparisons.add(of, norm(difference) / whole, next(allowed))
        comparisons.add("largest entry of " + of, (difference.abs().max() / most).item(), next(allowed))

    def _build(self):
        c, device = self.configuration, self._device.torch_device
        torch.manual_seed(self._seed)
        self._inputs = [torch.randn(c.shape(length), dtype=c.dtype, device=device)
                        for length in (c.queries, c.keys, c.keys)]
        self._d_output = torch.randn(c.shape(c.queries), dtype=c.dtype, device=device) if c.mode != "forward" else None
        for tensor in self._inputs:
            tensor.requires_grad_(c.mode != "forward")
        self._attend = compiled(attention_of(c, c.queries, c.keys, device, self._fault), c)

    def _first_call(self):
        self._forward()
        if self.configuration.mode != "forward":
            self._backward()

    def _forward(self):
        learning = contextlib.nullcontext() if self.configuration.mode != "forward" else torch.no_grad()
        with learning:
            self._output = self._attend(*self._inputs)

    def _backward(self):
        self._output.backward(self._d_output, retain_graph=self.configuration.mode == "backward")

    def _forget_results(self):
        for tensor in self._inputs:
            tensor.grad = None
        if self.configuration.mode != "backward":
            self._output = None

    def _step(self, mark):
        self._forget_results()  # of the last step, kept for the verification until here
        mark()
        if self.configuration.mode != "backward":
            self._forward()
            mark()
        if self.configuration.mode != "forward":
            self._backward()
            mark()

    def verify(self):
        c, draw, comparisons = self.configuration, random.Random(self._seed), Comparisons()
        allowed_output, allowed_d_query, allowed_d_key_value = CheckFile(self._check_file, "cpu").tensor("verification").tolist()
        gradients = [tensor.grad for tensor in self._inputs]
        for name, tensor in zip(("O", "dQ", "dK", "dV"), (self._output, *gradients)):
            if tensor is not None and not torch.isfinite(tensor).all():
                return {"passed": False, "reason": f"{name} is not finite", "items": []}

        def matrices(tensor):
            return tensor.detach().flatten(0, -3)

        def some(count, most):
            return sorted({0, count - 1} | {draw.randrange(count) for _ in range(most - 2)})

        def relative(value, right, scale):
            return norm(value.double() - right) / max(norm(right), scale)

        query, key, value = (matrices(tensor) for tensor in self._inputs)
        diagonal = c.diagonal(c.queries, c.keys)
        rows = torch.tensor(some(c.queries, 8), device=query.device)
        learns = c.mode != "forward"
        if learns:
            d_output = matrices(self._d_output)
            per_entry = math.hypot(*map(norm, gradients)) / math.sqrt(sum(gradient.numel() for gradient in gradients))
            scale = lambda right: per_entry * math.sqrt(right.numel())
        for n in some(query.size(0), 4):
            right = Rows(query[n][rows], key[n], value[n], rows, diagonal)
            comparisons.add(f"O in {len(rows)} rows of matrix {n}",
                            relative(matrices(self._output)[n][rows], right.output, 0.0), allowed_output)
            if learns:
                d_query = right.d_scores(d_output[n][rows], value[n]) @ key[n].double()
                comparisons.add(f"dQ in {len(rows)} rows of matrix {n}",
                                relative(matrices(gradients[0])[n][rows], d_query, scale(d_query)), allowed_d_query)
        if learns:  # of the last of these matrices
            rows = torch.tensor(some(c.keys, 4), device=query.device)
            d_key, d_value, at_once = 0.0, 0.0, max(1, CHUNK // c.keys)
            for first in range(0, c.queries, at_once):
                part = slice(first, first + at_once)
                right = Rows(query[n][part], key[n], value[n], first, diagonal)
                d_key = d_key + right.d_scores(d_output[n][part], value[n])[:, rows].T @ query[n][part].double()
                d_value = d_value + right.weights[:, rows].T @ d_output[n][part].double()
            for name, gradient, right in (("dK", gradients[1], d_key), ("dV", gradients[2], d_value)):
                comparisons.add(f"{name} in {len(rows)} rows of matrix {n}",
                                relative(matrices(gradient)[n][rows], right, scale(right)), allowed_d_key_value)
        return comparisons.check()
