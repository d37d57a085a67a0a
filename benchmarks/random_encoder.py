"""An encoder of BERT base's shape with random weights: it computes as much as a trained one, and needs no network."""

from pathlib import Path

import torch
from transformers import AutoTokenizer, BertConfig, BertModel


def write(folder: Path, tokenizer: Path) -> Path:
    """Write the encoder, with the tokenizer of another, into a folder and return it."""
    AutoTokenizer.from_pretrained(tokenizer).save_pretrained(folder)
    torch.manual_seed(1)
    BertModel(BertConfig()).save_pretrained(folder)
    return folder
