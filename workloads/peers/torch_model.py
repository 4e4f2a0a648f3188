"""The model workload in Python PyTorch: the twin of workloads/model/eager.cpp and optimizer.cpp, operator for operator.

`Configuration` is a case, `Model` the network, `Run` what is timed and checked: the parts of a step, eager or compiled.
Shared by torch_worker.py, which serves bench, and torch_eager.py, which runs alone.
"""

import contextlib
import dataclasses
import importlib
import math

import torch
import torch.nn.functional as F

DIMENSIONS = ("d-model", "d-ff", "layers", "heads", "vocabulary", "context", "batch")
PHASES = {
    "forward": ["forward"],
    "forward-backward": ["forward", "backward"],
    "train-step": ["forward", "backward", "optimizer"],
}
AUTOCAST = {"bf16-mixed": torch.bfloat16, "fp16-mixed": torch.float16}
WEIGHTS = {"bf16": torch.bfloat16}  # fp32 for every other precision
IMPLEMENTATIONS = ("torch-eager", "torch-compile")
LOSSES = ("naive",)
PRECISIONS = ("fp32", "tf32", "bf16-mixed", "fp16-mixed", "bf16")
OPTIMIZERS = ("adamw", "adamw-fused")
ADAMW = ("lr", "beta1", "beta2", "eps", "weight-decay")


@dataclasses.dataclass
class Configuration:
    """A case in the types that this file computes with."""

    d_model: int
    d_ff: int
    layers: int
    heads: int
    vocabulary: int
    context: int
    batch: int
    mode: str
    precision: str
    attention: str
    optimizer: str | None = None  # and its settings: of train-step
    adamw: dict = dataclasses.field(default_factory=dict)
    compile_mode: str | None = None  # None: eager
    graph: bool = False  # the whole step as one CUDA graph
    checking: bool = False

    @staticmethod
    def of(parameters, timing="blocking"):
        """`parameters`: a case's, by their names in the case id, none left to be looked up."""
        known = {"mode": PHASES, "precision": PRECISIONS, "attention": ATTENTION, "optimizer": OPTIMIZERS, "loss": LOSSES,
                 "implementation": IMPLEMENTATIONS}
        for name, values in known.items():
            if name in parameters and parameters[name] not in values:
                raise ValueError(f"the peer has no {name} {parameters[name]}")
        compiled = parameters["implementation"] == "torch-compile"
        return Configuration(*(parameters[name] for name in DIMENSIONS),
                             parameters["mode"], parameters["precision"], parameters["attention"],
                             parameters.get("optimizer"), {name: parameters[name] for name in ADAMW if name in parameters},
                             parameters["compile-mode"] if compiled else None, timing == "graph")


# ---- the network ----------------------------------------------------------------------------------------------------


def rms_norm(x, gain):
    wide = x.to(torch.float32)
    inverse_rms = wide.pow(2).mean(-1, keepdim=True).add(1e-5).rsqrt()
    return wide.mul(inverse_rms).mul(gain).to(x.dtype)


def rotate(x, cosine, sine):
    even, odd = x.to(torch.float32).unflatten(-1, (-1, 2)).unbind(-1)
    rotated = torch.stack((even.mul(cosine).sub(odd.mul(sine)), even.mul(sine).add(odd.mul(cosine))), -1)
    return rotated.flatten(-2).to(x.dtype)


def naive(q, k, v, future):
    scores = q.matmul(k.transpose(-2, -1)).mul(1 / math.sqrt(q.size(-1)))
    return scores.masked_fill(future, -math.inf).softmax(-1).matmul(v)


def sdpa(q, k, v, future):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


ATTENTION = {"naive": naive, "sdpa": sdpa}


def linear(d_in, d_out):
    return torch.nn.Linear(d_in, d_out, bias=False)


class RMSNorm(torch.nn.Module):
    def __init__(self, d):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(d))

    def forward(self, x):
        return rms_norm(x, self.weight)


class Attention(torch.nn.Module):
    def __init__(self, d, heads, attention):
        super().__init__()
        self.heads, self.attention = heads, attention
        self.query, self.key, self.value, self.output = (linear(d, d) for _ in range(4))

    def forward(self, x, cosine, sine, future):
        def heads(projection):  # (B, T, d) -> (B, H, T, D)
            return projection(x).view(x.size(0), x.size(1), self.heads, -1).transpose(1, 2)

        q = rotate(heads(self.query), cosine, sine)
        k = rotate(heads(self.key), cosine, sine)
        return self.output(self.attention(q, k, heads(self.value), future).transpose(1, 2).flatten(-2))


class FeedForward(torch.nn.Module):
    def __init__(self, d, d_ff):
        super().__init__()
        self.w1, self.w3, self.w2 = linear(d, d_ff), linear(d, d_ff), linear(d_ff, d)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Block(torch.nn.Module):
    def __init__(self, d, d_ff, heads, attention):
        super().__init__()
        self.attention_norm, self.attention = RMSNorm(d), Attention(d, heads, attention)
        self.feed_forward_norm, self.feed_forward = RMSNorm(d), FeedForward(d, d_ff)

    def forward(self, x, cosine, sine, future):
        x = x + self.attention(self.attention_norm(x), cosine, sine, future)
        return x + self.feed_forward(self.feed_forward_norm(x))


class Model(torch.nn.Module):
    """Parameters have the names and the order of workloads/model/parameters.cpp."""

    def __init__(self, c, attention):
        super().__init__()
        self.embedding = torch.nn.Embedding(c.vocabulary, c.d_model)
        self.blocks = torch.nn.ModuleList(Block(c.d_model, c.d_ff, c.heads, attention) for _ in range(c.layers))
        self.final_norm = RMSNorm(c.d_model)
        self.head = linear(c.d_model, c.vocabulary)

    def forward(self, tokens):  # (B, T) -> (B, T, V)
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, self.cosine, self.sine, self.future)
        return self.head(self.final_norm(x))

    def add_tables(self, c, device):
        """RoPE's and the mask's; angles in fp64, so that rounding them is the tables' only error."""
        d_head = c.d_model // c.heads
        rates = 10000.0 ** -(torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)
        angles = torch.arange(c.context, dtype=torch.float64).unsqueeze(1) * rates
        self.cosine, self.sine = angles.cos().float().to(device), angles.sin().float().to(device)
        self.future = torch.ones(c.context, c.context, dtype=torch.bool, device=device).triu(1)


def initialize(model, seed):
    """Linear: std sqrt(2/(in+out)); embedding: std 1; both truncated at 3 std. Norms: 1."""
    torch.manual_seed(seed)
    for name, parameter in model.named_parameters():
        if parameter.dim() == 1:
            torch.nn.init.ones_(parameter)
            continue
        std = 1.0 if name == "embedding.weight" else math.sqrt(2 / sum(parameter.shape))
        torch.nn.init.trunc_normal_(parameter, std=std, a=-3 * std, b=3 * std)


def make_model(c, device, fault="", seed=None, weights=None):
    """A model with seeded parameters, or with those of `weights` (name -> tensor)."""
    with torch.device("meta"):  # PyTorch's own initialisation would be thrown away
        model = Model(c, with_fault(ATTENTION[c.attention], fault))
    model.to_empty(device=device)
    if weights is None:
        initialize(model, seed)
    else:
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                parameter.copy_(weights[name])
    model.to(WEIGHTS.get(c.precision, torch.float32))
    model.add_tables(c, device)
    return model


def random_batch(c, device):
    return torch.randint(c.vocabulary, (2, c.batch, c.context), device=device).unbind(0)


# ---- deliberate mistakes, so that tests can see the check and the verification refuse them ---------------------------

FAULTS = ("zero-output", "swapped-heads", "mask-off-by-one", "stale-weight", "wrong-optimizer", "stale-output",
          "nan-loss", "drifting-output")
SEEN_BY_VERIFICATION = ("stale-output", "nan-loss", "drifting-output")  # only a longer run shows them


def with_fault(attention, fault):
    def off_by_one(q, k, v, future):
        return F.scaled_dot_product_attention(q, k, v, future.triu(2).logical_not())

    return {"zero-output": lambda q, k, v, future: attention(q, k, v, future).mul(0),
            "swapped-heads": lambda q, k, v, future: attention(q, k, v, future).roll(1, 1),
            "mask-off-by-one": off_by_one}.get(fault, attention)


# ---- a step -----------------------------------------------------------------------------------------------------------


def make_optimizer(c, parameters, fault=""):
    if fault == "stale-weight":
        parameters = parameters[:-1]
    a = c.adamw
    return torch.optim.AdamW(parameters, lr=a["lr"], betas=(a["beta1"], a["beta2"]), eps=a["eps"],
                             weight_decay=a["weight-decay"], fused=True if c.optimizer == "adamw-fused" else None,
                             capturable=c.graph)


def compile_options(c):
    """As torch.compile(mode=...), but inside a whole-step graph Inductor must not make graphs of its own."""
    options = torch._inductor.list_mode_options(c.compile_mode) if c.compile_mode != "default" else {}
    if c.graph:
        options["triton.cudagraphs"] = False
    if c.checking and c.compile_mode == "max-autotune":
        # The same kernels sooner: of what Inductor's pool of processes compiles for its search this PyTorch keeps nothing, and
        # compiles it again, one after another. What is timed is compiled as a user's is.
        options["compile_threads"] = 1
    return options


class Run:
    """A model with what its mode needs, and the parts of its step. The check runs the same code that is timed."""

    def __init__(self, c, model, device, fault=""):
        self.c, self.model, self.device, self.fault = c, model, device, fault
        self.parameters = list(model.parameters())
        for parameter in self.parameters:
            parameter.requires_grad_(c.mode != "forward")
        self.optimizer = make_optimizer(c, self.parameters, fault) if c.mode == "train-step" else None
        # fp16's gradients underflow without scaling. GradScaler keeps scale and found_inf on the device; with a fused
        # optimizer the step reads neither. torch.optim's unfused AdamW cannot skip a step by itself, so there
        # GradScaler.step waits for found_inf once a step: PyTorch's own semantics, and why a graph needs adamw-fused.
        self.scaler = None
        if c.precision == "fp16-mixed" and c.mode != "forward":
            self.scaler = torch.amp.GradScaler(device.type)
        self._forward, self._loss = model, self._loss_of
        if c.compile_mode is not None:
            importlib.import_module("torch._inductor")  # seconds that eager rows must not pay for
            options = compile_options(c)
            # fullgraph: a graph break is an error, not a slower row. dynamic=False: shapes of one case do not change.
            self._forward = torch.compile(model, fullgraph=True, dynamic=False, options=options)
            self._loss = torch.compile(self._loss_of, fullgraph=True, dynamic=False, options=options)
        self._first, self._calls, self._scale = None, 0, None

    def _loss_of(self, tokens, targets):
        return F.cross_entropy(self.model(tokens).flatten(0, 1), targets.flatten())

    def _autocast(self):
        dtype = AUTOCAST.get(self.c.precision)
        return torch.autocast(self.device.type, dtype) if dtype else contextlib.nullcontext()

    def logits(self, tokens):
        with torch.no_grad(), self._autocast():
            logits = self._forward(tokens)
        if self.fault == "stale-output":
            self._first = logits if self._first is None else self._first
            return self._first
        if self.fault == "drifting-output":
            self._calls += 1
            return logits + 0.01 * self._calls
        return logits

    def loss(self, tokens, targets):
        with self._autocast():
            loss = self._loss(tokens, targets)
        return loss * math.nan if self.fault == "nan-loss" else loss

    def backward(self, loss):
        (self.scaler.scale(loss) if self.scaler else loss).backward()

    def update(self):
        if self.fault == "wrong-optimizer":
            skip_bias_correction(self.optimizer, self.parameters)
        if self.scaler:
            self.scaler.step(self.optimizer)
            self.scaler.update()
        else:
            self.optimizer.step()

    def skipped_an_update(self):
        """Whether the scaler has skipped one since the last call: it lowers its scale then. Waits for the device."""
        scale, before = self.scaler.get_scale() if self.scaler else 1.0, self._scale
        self._scale = scale
        return before is not None and scale < before

    def zero_gradients(self):
        (self.optimizer or self.model).zero_grad(set_to_none=True)

    def gradients(self):
        """As the mathematics has them: without the loss scale, which is a power of two."""
        scale = self.scaler.get_scale() if self.scaler else 1.0
        return [parameter.grad.double() / scale for parameter in self.parameters]


def skip_bias_correction(optimizer, parameters):
    """Where 1 - beta^step is 1. A first step has no state yet, and gets some."""
    for parameter in parameters:
        if parameter not in optimizer.state:
            device = parameter.device if optimizer.defaults["fused"] or optimizer.defaults["capturable"] else "cpu"
            optimizer.state[parameter] = {"step": torch.zeros((), device=device),
                                          "exp_avg": torch.zeros_like(parameter),
                                          "exp_avg_sq": torch.zeros_like(parameter)}
        optimizer.state[parameter]["step"].fill_(1e6)
