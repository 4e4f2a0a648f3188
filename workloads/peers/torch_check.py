"""The check before time, from the file that the native worker wrote (workloads/model/check_file.hpp describes it)."""

import dataclasses
import math

import torch
from safetensors import safe_open

from torch_model import (ADAMW_DEFAULTS, SEEN_BY_VERIFICATION, WEIGHTS, Run, make_model, make_optimizer,
                         skip_bias_correction)


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
    small = dataclasses.replace(configuration, layers=layers, batch=tokens.size(0), context=tokens.size(1), graph=False,
                                adamw=dict(ADAMW_DEFAULTS))
    comparisons = Comparisons()
    run = Run(small, make_model(small, device, fault, weights=weights), device, fault)
    if small.mode == "forward":
        comparisons.add("logits", relative_error(run.logits(tokens), file.tensor("logits")), *file.allowed("logits"))
        return comparisons.check()

    names = [name for name, _ in run.model.named_parameters()]
    losses, allowed_losses = file.tensor("losses").tolist(), file.allowed("losses")
    whole = math.sqrt(sum(norm(file.tensor("gradient." + name)) ** 2 for name in names))
    for step, reference in enumerate(losses):
        loss = run.loss(tokens, targets)
        error = abs(loss.item() - reference) / abs(reference)
        comparisons.add(f"loss of step {step + 1}", error, allowed_losses[step])
        if step > 0 and step + 1 == len(losses):
            break
        run.backward(loss)
        if step == 0:
            for name, gradient, allowed in zip(names, run.gradients(), file.allowed("gradients"), strict=True):
                comparisons.add("gradient of " + name,
                                gradient_error(gradient, file.tensor("gradient." + name), whole), allowed)
        if small.mode == "train-step":
            run.update()
        run.zero_gradients()
    del run
    if small.mode == "train-step":
        small.adamw = configuration.adamw
        compare_updates(comparisons, small, weights, names, file, fault)
    return comparisons.check()


def compare_updates(comparisons, small, weights, names, file, fault):
    """The optimizer alone: three updates from given gradients, against AdamW's formula in fp64."""
    dtype = WEIGHTS.get(small.precision, torch.float32)
    parameters = [torch.nn.Parameter(weights[name].to(dtype, copy=True)) for name in names]
    for name, parameter in zip(names, parameters):
        parameter.grad = file.tensor("gradient." + name).to(dtype)
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
