"""The gradient of a batch, computed in several parts if it does not fit into the device's memory."""

import gc
from collections.abc import Callable
from contextlib import nullcontext

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import convert_to_fp32, send_to_device
from torch import Tensor

from semblance.cpu.dropout import quick
from semblance.errors import UserError
from semblance.training.streams import Stream


class Gradient:
    """Computes the gradients of a stage's loss.

    A batch that does not fit into the device's memory is computed in two parts, then in four, and so on. Each part is
    weighted by its share of the batch, so that the loss does not change. This needs a `divisible` objective: a mean
    over examples that does not compare them with one another.

    Args:
        task: the network and its training examples, see `training.engine.Trainable`.
        objective: function from the network's output and the targets to the loss, a scalar.
        regularizer: penalty added to the loss, or None.
        accelerator: device and precision.
        stage: name of the stage, for messages.
        divisible: whether a batch can be computed in parts.
        full_precision: whether to compute in fp32, whatever the accelerator's precision is.
        stream: the network's own random stream, or None.

    Attributes:
        pieces: current number of parts of a batch.
        terms: the regularizer's penalty and its terms of the last batch, means over its parts by their shares.
    """

    def __init__(
        self,
        task,
        objective: Callable,
        regularizer,
        accelerator: Accelerator,
        stage: str,
        *,
        divisible: bool,
        full_precision: bool = False,
        stream: Stream | None = None,
    ):
        self._task, self._objective, self._regularizer = task, objective, regularizer
        self._accelerator, self._stage, self._divisible = accelerator, stage, divisible
        self._autocast = nullcontext if full_precision else accelerator.autocast
        self.pieces, self.terms = 1, {}
        self._randomness = stream or quick(task.module)

    def add(self, indices: np.ndarray) -> Tensor:
        """Add the gradient of a batch to the weights, which must have none, and return its loss, a scalar.

        Raises:
            UserError: if the batch does not fit into memory and cannot be divided.
        """
        while True:
            self.terms = {}
            try:
                parts = np.array_split(indices, min(self.pieces, len(indices)))
                return torch.stack([self._add(part, len(part) / len(indices)) for part in parts]).sum()
            except torch.OutOfMemoryError:
                self._require_smaller(indices)
            # Not in the handler, because the traceback keeps the memory that has to be freed.
            self.pieces *= 2
            self._task.module.zero_grad()
            gc.collect()
            torch.cuda.empty_cache()
            print(f"{self._stage}: a batch of {len(indices)} does not fit, going on with {self.pieces} pieces of it")

    def state_dict(self) -> dict:
        return {"pieces": self.pieces}

    def load_state_dict(self, state: dict) -> None:
        self.pieces = state["pieces"]

    def _add(self, indices: np.ndarray, share: float) -> Tensor:
        inputs, targets = send_to_device(self._task.batch(indices), self._accelerator.device)
        if self._regularizer:
            self._regularizer.before()
        with self._randomness:
            with self._autocast():
                output = convert_to_fp32(self._task.forward(inputs))
            loss = self._objective(output, targets)
            if self._regularizer:
                loss = loss + self._regularizer.penalty(inputs, output)
        (share * loss).backward()
        for name, term in self._regularizer.terms().items() if self._regularizer else ():
            self.terms[name] = self.terms.get(name, 0.0) + share * term
        return share * loss.detach()

    def _require_smaller(self, indices: np.ndarray) -> None:
        if self._divisible and self.pieces < len(indices):
            return
        why = "one example alone does not" if self._divisible else "its objective compares its examples"
        raise UserError(
            f"a batch of {len(indices)} of stage {self._stage!r} does not fit into the device's memory, and {why}: "
            "lower its batch_size, or the preset's model: max_length, or take a larger device"
        )
