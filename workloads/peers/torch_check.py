"""The check before time, from the file that the native worker wrote (workloads/model/check_file.hpp describes it)."""

import dataclasses
import math

import torch
from safetensors import safe_open

from torch_devices import captured
from torch_model import ADAMW, SEEN_BY_VERIFICATION, Run, make_model, make_optimizer, skip_bias_correction

GRAPH_STEPS = 5
# The least that is allowed between replays and steps, of a tensor's norm: as in workloads/model/graph_check.cpp.
GRAPH_FLOOR = 1e-6


def norm(tensor):
    return torch.linalg.vector_norm(tensor.double()).item()


def relative_error(value, reference):
    difference = norm(value.double() - reference)
    return 0.0 if difference == 0 else difference / (norm(reference) or math.nan)


def gradient_error(value, reference, whole):
    """A gradient below a millionth of all together is rounding noise: its error is taken relative to `whole`."""
    if norm(reference) > 1e-6 * whole:
        return relative_error(value, reference)
    return norm(value.double() - reference) / whole


def loss_error(value, reference):
    """As harness/worker/comparison.hpp's: a loss near 0 carries the rounding of the logits that it came from."""
    return 0.0 if value == reference else abs(value - reference) / max(abs(reference), 1.0)


class Comparisons:
    def __init__(self):
        self.items = []

    def add(self, what, error, allowed):
        self.items.append({"what": what, "error": error if math.isfinite(error) else 1.7976931348623157e308,
                           "allowed": allowed})

    def check(self, most=20):
        items = sorted(self.items, key=lambda item: -item["error"] / max(item["allowed"], 1e-300))
        wrong = sum(item["error"] > item["allowed"] for item in items)
        reason = ""
        if wrong:
            worst = items[0]
            how = ("is not a number or infinitely far off" if worst["error"] > 1e308
                   else f"has a relative error of {worst['error']:.2g}")
            reason = (f"{worst['what']} {how}; {worst['allowed']:.2g} is allowed "
                      f"({wrong} of {len(items)} comparisons failed)")
        return {"passed": not wrong, "reason": reason, "items": items[:most]}


class CheckFile:
    def __init__(self, path, device):
        self._file = safe_open(path, framework="pt", device="cpu")
        self._device = device

    def tensor(self, name):
        return self._file.get_tensor(name).to(self._device)

    def allowed(self, quantity):
        return self._file.get_tensor("allowed." + quantity).tolist()

    def adamw(self):
        """The settings between the steps that losses are compared of."""
        return dict(zip(ADAMW, self._file.get_tensor("adamw").tolist(), strict=True))

    def weights(self):
        return {name.removeprefix("weight."): self.tensor(name)
                for name in self._file.keys() if name.startswith("weight.")}


def check(configuration, device, fault, path):
    """What configuration's implementation gets wrong on the small version, against what the file allows."""
    file = CheckFile(path, device)
    fault = "" if fault in SEEN_BY_VERIFICATION else fault
    weights = file.weights()
    tokens, targets = file.tensor("tokens"), file.tensor("targets")
    layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("blocks."))
    small = dataclasses.replace(configuration, checking=True, layers=layers, batch=tokens.size(0), context=tokens.size(1),
                                adamw=file.adamw() if configuration.mode == "train-step" else {})
    comparisons = Comparisons()
    run = Run(small, make_model(small, device, fault, weights=weights), device, fault)
    if small.mode == "forward":
        comparisons.add("logits", relative_error(run.logits(tokens), file.tensor("logits")), *file.allowed("logits"))
        if small.graph:
            compare_graph_with_steps(comparisons, run, tokens, targets)
        return comparisons.check()

    names = [name for name, _ in run.model.named_parameters()]
    losses, allowed_losses = file.tensor("losses").tolist(), file.allowed("losses")
    whole = math.sqrt(sum(norm(file.tensor("gradient." + name)) ** 2 for name in names))
    for step, reference in enumerate(losses):
        loss = run.loss(tokens, targets)
        comparisons.add(f"loss of step {step + 1}", loss_error(loss.item(), reference), allowed_losses[step])
        if step > 0 and step + 1 == len(losses):
            break
        run.backward(loss)
        settle_scale(run, tokens, targets)
        if step == 0:
            for name, gradient, allowed in zip(names, run.gradients(), file.allowed("gradients"), strict=True):
                comparisons.add("gradient of " + name,
                                gradient_error(gradient, file.tensor("gradient." + name), whole), allowed)
        if small.mode == "train-step":
            run.update()
        run.zero_gradients()
    if small.graph:
        compare_graph_with_steps(comparisons, run, tokens, targets)
    del run
    if small.mode == "train-step":
        small.adamw = configuration.adamw
        compare_updates(comparisons, small, weights, names, file, fault)
    return comparisons.check()


def settle_scale(run, tokens, targets):
    """Training skips updates until its scale fits; here every one counts, so the backward is redone instead."""
    halvings = 24 if run.scaler else 0  # from 65,536 to below 1: what overflows then does so without a scale
    while halvings and not all(torch.isfinite(parameter.grad).all() for parameter in run.parameters):
        halvings -= 1
        run.zero_gradients()
        run.scaler.update(run.scaler.get_scale() / 2)
        run.backward(run.loss(tokens, targets))


class Snapshot:
    """What steps change: parameters, the optimizer's state, the scale. Restored in place, where a graph finds it."""

    def __init__(self, run):
        self._run = run
        self._kept = [(tensor, tensor.detach().clone()) for tensor in self._tensors()]
        self._scaler = run.scaler.state_dict() if run.scaler else None

    def _tensors(self):
        yield from self._run.parameters
        if self._run.optimizer:
            for state in self._run.optimizer.state.values():
                yield from state.values()

    @torch.no_grad()
    def restore(self):
        for tensor, value in self._kept:
            tensor.copy_(value)
        if self._scaler:
            self._run.scaler.load_state_dict(self._scaler)


def compare_graph_with_steps(comparisons, run, tokens, targets):
    """Five replays against the same five steps outside the graph, and against what those themselves repeat to."""

    def step():
        if run.c.mode == "forward":
            return run.logits(tokens)
        loss = run.loss(tokens, targets)
        run.backward(loss)
        if run.c.mode == "train-step":
            run.update()
        run.zero_gradients()
        return loss

    def results(output):
        return [tensor.detach().clone() for tensor in (output, *run.parameters)]

    for _ in range(3):  # until every state exists
        step()
    start = Snapshot(run)
    eager = []
    for _ in range(2):
        for _ in range(GRAPH_STEPS):
            output = step()
        eager.append(results(output))
        start.restore()
    graph, output = captured(step)
    start.restore()
    for _ in range(GRAPH_STEPS):
        graph.replay()
    torch.cuda.synchronize()
    names = ["logits" if run.c.mode == "forward" else "loss", *(name for name, _ in run.model.named_parameters())]
    for name, right, again, replayed in zip(names, *eager, results(output), strict=True):
        comparisons.add(f"five replays of the graph against five steps outside it: {name}",
                        relative_error(replayed, right.double()),
                        max(2 * relative_error(again, right.double()), GRAPH_FLOOR))


def compare_updates(comparisons, small, weights, names, file, fault):
    """The optimizer alone: three updates from given gradients, against AdamW's formula in fp64."""
    parameters = [torch.nn.Parameter(weights[name].clone()) for name in names]
    for name, parameter in zip(names, parameters):
        parameter.grad = file.tensor("gradient." + name).to(parameter.dtype)
    optimizer = make_optimizer(small, parameters, fault)
    for _ in range(3):
        if fault == "wrong-optimizer":
            skip_bias_correction(optimizer, parameters)
        optimizer.step()
        for parameter in parameters:
            parameter.grad.mul_(-0.5)
    for name, parameter, allowed in zip(names, parameters, file.allowed("updates"), strict=True):
        right = file.tensor("updated." + name)
        moved = norm(right - weights[name].double())
        comparisons.add("update of " + name, norm(parameter.detach().double() - right) / (moved or 1.0), allowed)
