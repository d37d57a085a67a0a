"""Speed of scoring pairs, compared with ``SentenceTransformer.encode`` of both columns and their cosine."""

from pathlib import Path

import numpy as np
import torch
from measures import Measure, ratios, seconds

from semblance import models
from semblance.data.rows import Pairs
from semblance.specs.run import ModelSpec

SPEC = ModelSpec("bi-encoder", pooling="mean", max_length=128)


def measure(encoder: Path, pairs: Pairs, repeats: int) -> list[Measure]:
    """Time both in turns, in fp32, and return the largest difference of their scores too."""
    from sentence_transformers import SentenceTransformer

    ours = models.kind("bi-encoder").open(SPEC, encoder, "cuda" if torch.cuda.is_available() else "cpu")
    theirs = SentenceTransformer(str(encoder))
    theirs.max_seq_length = SPEC.max_length
    kept: dict[str, np.ndarray] = {}

    def score() -> None:
        kept["ours"] = ours.score(pairs)

    def encode() -> None:
        u, v = (theirs.encode(side, normalize_embeddings=True) for side in (pairs.sentence1, pairs.sentence2))
        kept["theirs"] = (u * v).sum(axis=1)

    turns = [(seconds(score), seconds(encode)) for _ in range(repeats)]
    ours_took, theirs_took = zip(*turns)
    return [
        Measure("prediction: pairs", "", [len(pairs)]),
        Measure("prediction: ours", "pairs/s", [len(pairs) / s for s in ours_took]),
        Measure("prediction: sentence-transformers", "pairs/s", [len(pairs) / s for s in theirs_took]),
        ratios("prediction: times as fast", ours_took, theirs_took, "≥ 3"),
        Measure(
            "prediction: largest difference of scores", "", [np.abs(kept["ours"] - kept["theirs"]).max()], "≤ 1e-5"
        ),
    ]
