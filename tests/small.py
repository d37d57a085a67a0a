"""A few texts and a very small untrained encoder, for tests of models."""

from pathlib import Path

import torch

from semblance.encoders import architectures

TEXTS = [
    "The shop is open.",
    "The shop is not closed today.",
    "It rains.",
    "A dog chased the small cat around the house.",
]
SHAPE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
SHAPE |= {"max_position_embeddings": 40, "hidden_dropout_prob": 0.1}


def write_encoder(architecture: str, folder: Path, **shape: float) -> Path:
    """Write a bert, roberta or albert encoder with fixed random weights to a folder, and return the folder."""
    torch.manual_seed(0)
    tokenizer = architectures.tokenizer(architecture, TEXTS * 5, 400)
    shape = SHAPE | ({"embedding_size": 16} if architecture == "albert" else {}) | shape
    architectures.pair_classifier(architecture, tokenizer, shape).base_model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
