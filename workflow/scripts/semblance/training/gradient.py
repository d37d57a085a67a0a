"""A batch's gradient, computed in as many pieces as the memory of the device asks for."""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextlib import nullcontext

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import convert_to_fp32, send_to_device
from torch import Tensor

from semblance.errors import UserError
from semblance.training.dropout import quick


class Gradient:
    """The gradient of a stage's loss over one batch after another.

    A batch that does not fit into the device's memory is computed in two pieces, each weighing what it is of the
    batch, then in four, and so on: the same loss over the same batch. That holds of a `divisible` objective, a mean
    over examples that are not compared with one another. Several processes share a batch out in the same way.
    """

    def __init__(
        self, task, objective: Callable, regularizer, accelerator: Accelerator, stage: str, *, divisible: bool
    ):
        self._task, self._objective, self._regularizer = task, objective, regularizer
        self._accelerator, self._stage, self._divisible = accelerator, stage, divisible
        self.pieces = 1
        self._dropout = quick(task.module)

    def add(self, indices: np.ndarray) -> Tensor:
        """Give the weights, which have none, the batch's gradient; the batch's loss, a scalar.

        Raises UserError when the batch does not fit and cannot be divided.
        """
        accelerator = self._accelerator
        own = np.array_split(indices, accelerator.num_processes)[accelerator.process_index]
        # One that is left without examples takes another's, for nothing: what gets a gradient gets it everywhere.
        loss = self._add_in_pieces(own if len(own) else indices[:1], len(own) / len(indices))
        if accelerator.num_processes == 1:
            return loss
        for weights in self._task.module.parameters():
            if weights.grad is not None:
                weights.grad = accelerator.reduce(weights.grad)
        return accelerator.reduce(loss)

    def _add_in_pieces(self, indices: np.ndarray, share: float) -> Tensor:
        """Add the gradient of some examples, which are a share of the batch; their share of its loss."""
        while True:
            try:
                parts = np.array_split(indices, min(self.pieces, len(indices)))
                return torch.stack([self._add(part, share * len(part) / len(indices)) for part in parts]).sum()
            except torch.OutOfMemoryError:
                self._require_smaller(indices)
            # Not while it is handled: its traceback holds what has to be freed.
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
        with self._dropout:
            with nullcontext() if self._regularizer else self._accelerator.autocast():
                output = convert_to_fp32(self._task.forward(inputs))
            loss = self._objective(output, targets)
            if self._regularizer:
                loss = loss + self._regularizer.penalty(inputs, output)
        self._accelerator.backward(share * loss)
        return share * loss.detach()

    def _require_smaller(self, indices: np.ndarray) -> None:
        if self._divisible and self.pieces < len(indices):
            return
        why = "one example alone does not" if self._divisible else "its objective sets a batch's examples off"
        raise UserError(
            f"a batch of {len(indices)} of stage {self._stage!r} does not fit into the device's memory, and {why}: "
            "lower its batch_size, or the preset's model: max_length, or take a larger device"
        )
