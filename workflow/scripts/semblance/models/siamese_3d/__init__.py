"""Networks over a frozen encoder's states of both sentences: those of sn3d, and its baselines SBERT and ColBERT.

Many networks are trained and scored in one pass of their encoder. Therefore a `Model` uses a shared `Encoder`, and its
folder contains only the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from semblance.models.siamese_3d.frozen import Encoder, States
from semblance.models.siamese_3d.network import Network
from semblance.registry import LABELS
from semblance.specs.run import ModelSpec
from semblance.tokens import ColumnTokens

WEIGHTS = "network.safetensors"


class Model:
    """A network over a frozen encoder; `spec` defines the `network` and the number of `classes`."""

    def __init__(self, network: Network):
        self.network = network

    @classmethod
    def fresh(cls, spec: ModelSpec, encoder: Encoder) -> Model:
        """Return a new network with random weights from torch's global generator."""
        return cls(Network(spec.network, encoder.shape, spec.classes).to(encoder.module.device))

    @classmethod
    def open(cls, spec: ModelSpec, folder: Path, encoder: Encoder) -> Model:
        """Open the trained network in `folder`."""
        model = cls.fresh(spec, encoder)
        model.network.load_state_dict(load_file(folder / WEIGHTS))
        model.network.eval()
        return model

    @torch.no_grad()
    def probabilities(self, states: States) -> np.ndarray:
        """Return the class probabilities of n pairs, shape (n, classes), from the encoder's states."""
        return self.network(*states).softmax(-1).cpu().numpy()

    def save(self, folder: Path) -> None:
        save_file(self.network.state_dict(), folder / WEIGHTS)


def probabilities(models: Sequence[Model], encoder: Encoder, tokens: ColumnTokens) -> list[np.ndarray]:
    """Return each model's class probabilities of all pairs, shape (pairs, classes), from one pass of the encoder."""
    found = [np.empty((len(tokens.lengths), model.network.classes), dtype=np.float32) for model in models]
    for indices, states in encoder.passes(tokens):
        for model, outputs in zip(models, found):
            outputs[indices] = model.probabilities(states)
    return found


def scores(probabilities: np.ndarray, kind: str) -> np.ndarray:
    """Return the scores to record for n pairs.

    Args:
        probabilities: class probabilities, shape (n, classes).
        kind: kind of label.

    Returns:
        The class probabilities, shape (n, classes), if `kind` has classes, else the probability of a match, shape (n,).
    """
    return probabilities if LABELS[kind].classes else probabilities[:, 1]
