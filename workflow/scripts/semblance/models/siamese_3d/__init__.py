"""Networks over a frozen encoder's states of both sentences: sn3d's own, and its baselines SBERT and ColBERT.

Many are trained and scored over one pass of their encoder, so a `Model` is opened over an `Encoder`
that others share, and its folder holds the network alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from semblance.data.rows import CLASSES
from semblance.models.siamese_3d.frozen import Encoder, PairTokens, States
from semblance.models.siamese_3d.network import Network

WEIGHTS = "network.safetensors"


class Model:
    """`spec` names the network's parts and its number of `classes`."""

    def __init__(self, network: Network):
        self.network = network

    @classmethod
    def fresh(cls, spec: Mapping, encoder: Encoder) -> Model:
        """A new network, its weights drawn from torch's random stream."""
        return cls(Network(spec["network"], encoder.shape, spec["classes"]).to(encoder.module.device))

    @classmethod
    def open(cls, spec: Mapping, folder: Path, encoder: Encoder) -> Model:
        """The trained network in `folder`."""
        model = cls.fresh(spec, encoder)
        model.network.load_state_dict(load_file(folder / WEIGHTS))
        model.network.eval()
        return model

    @torch.no_grad()
    def probabilities(self, states: States) -> np.ndarray:
        """Of the classes, shape (n, classes)."""
        return self.network(*states).softmax(-1).cpu().numpy()

    def save(self, folder: Path) -> None:
        save_file(self.network.state_dict(), folder / WEIGHTS)


def probabilities(models: Sequence[Model], encoder: Encoder, tokens: PairTokens) -> list[np.ndarray]:
    """Each model's class probabilities of all pairs, shape (pairs, classes), in one pass of the encoder."""
    found = [np.empty((len(tokens.lengths), model.network.classes), dtype=np.float32) for model in models]
    for indices, states in encoder.passes(tokens):
        for model, kept in zip(models, found):
            kept[indices] = model.probabilities(states)
    return found


def scores(probabilities: np.ndarray, kind: str) -> np.ndarray:
    """What is recorded of a labelled pair: the probability of a match, (n,), or those of all classes, (n, classes)."""
    return probabilities if kind in CLASSES else probabilities[:, 1]
