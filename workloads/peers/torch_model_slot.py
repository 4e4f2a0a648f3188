"""A case of workload model in the Python worker: torch_model.py's model, checked and timed."""

import torch

import torch_check
import torch_model
from torch_slot import Slot


class Fingerprint:
    """The sums of a tensor's rows and columns, read as integers: an exact trace of its bits in far fewer bytes."""

    def __init__(self, tensor):
        bits = tensor.detach().contiguous().view(torch.int16 if tensor.element_size() == 2 else torch.int32)
        bits = bits.flatten(0, -2)
        self.rows, self.columns = bits.sum(1, dtype=torch.int64), bits.sum(0, dtype=torch.int64)

    def __eq__(self, other):
        return torch.equal(self.rows, other.rows) and torch.equal(self.columns, other.columns)


class ModelSlot(Slot):
    def __init__(self, command, device, flushing, progress):
        self.configuration = torch_model.Configuration.of(command["case"]["parameters"],
                                                          command.get("timing", "blocking"))
        fault = command["inject_fault"]
        if fault and fault not in torch_model.FAULTS:
            raise ValueError(f"model knows no fault {fault}; valid: {', '.join(torch_model.FAULTS)}")
        self.allows_tf32 = self.configuration.precision == "tf32"
        self.phase_names = torch_model.PHASES[self.configuration.mode]
        self._run = self._first_logits = self._first_output = self._last_loss = None
        super().__init__(command, device, flushing, progress)

    def _check(self):
        return torch_check.check(self.configuration, self._device.torch_device, self._fault, self._check_file)

    def _build(self):
        c, device = self.configuration, self._device.torch_device
        model = torch_model.make_model(c, device, self._fault, seed=self._seed)
        self._tokens, self._targets = torch_model.random_batch(c, device)
        self._run = torch_model.Run(c, model, device, self._fault)
        self._step = self._infer if c.mode == "forward" else self._learn

    def _first_call(self):
        """No update: the timed weights stay the seeded ones."""
        if self.configuration.mode == "forward":
            self._first_output = Fingerprint(self._run.logits(self._tokens))
        else:
            self._run.backward(self._run.loss(self._tokens, self._targets))
            self._run.zero_gradients()

    def _forget_results(self):
        self._first_logits = self._last_loss = None

    def _after_capture(self):
        if self.configuration.mode == "forward":
            self._graph.replay()
            self._first_output = Fingerprint(self._first_logits)

    def _fell_short(self):
        return self._run.skipped_an_update()

    def _before_sample(self):
        self._keep_first_output()

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
