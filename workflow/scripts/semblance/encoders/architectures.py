"""Untrained encoders in BERT's, RoBERTa's and ALBERT's shape, each with its own kind of tokenizer.

The shapes differ as the originals do: WordPiece with segment embeddings (BERT), byte-level BPE with
RoBERTa's special tokens (RoBERTa), a Unigram vocabulary with layers that share weights (ALBERT).
"""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    AlbertConfig,
    AlbertForMaskedLM,
    BertConfig,
    BertForMaskedLM,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForMaskedLM,
)

from semblance.training.device import attention

SPECIAL = {
    "bert": {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"},
    "roberta": {"pad": "<pad>", "unk": "<unk>", "cls": "<s>", "sep": "</s>", "mask": "<mask>"},
    "albert": {"pad": "<pad>", "unk": "<unk>", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"},
}


def tokenizer(architecture: str, texts: Iterable[str], vocabulary: int) -> PreTrainedTokenizerFast:
    """A tokenizer of the architecture's kind, trained on `texts` to at most `vocabulary` tokens."""
    special = SPECIAL[architecture]
    tokens = list(special.values())
    lower = normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()])
    if architecture == "bert":
        made = Tokenizer(models.WordPiece(unk_token=special["unk"]))
        made.normalizer, made.pre_tokenizer = lower, pre_tokenizers.BertPreTokenizer()
        made.decoder = decoders.WordPiece()
        trainer = trainers.WordPieceTrainer(vocab_size=vocabulary, special_tokens=tokens, show_progress=False)
    elif architecture == "roberta":
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
        made.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(
            vocab_size=vocabulary, special_tokens=tokens, initial_alphabet=alphabet, show_progress=False
        )
    else:
        made = Tokenizer(models.Unigram())
        made.normalizer, made.pre_tokenizer = lower, pre_tokenizers.Metaspace()
        made.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=vocabulary, special_tokens=tokens, unk_token=special["unk"], show_progress=False
        )
    made.train_from_iterator(texts, trainer)
    made.post_processor = _post_processor(architecture, made)
    names = {f"{role}_token": token for role, token in special.items()}
    inputs = ["input_ids", "attention_mask"] + (["token_type_ids"] if architecture != "roberta" else [])
    return PreTrainedTokenizerFast(tokenizer_object=made, model_input_names=inputs, **names)


def _post_processor(architecture: str, made: Tokenizer) -> processors.TemplateProcessing:
    cls, sep = SPECIAL[architecture]["cls"], SPECIAL[architecture]["sep"]
    # RoBERTa puts two separators between a pair and knows one segment only.
    pair = f"{cls} $A {sep} {sep} $B {sep}" if architecture == "roberta" else f"{cls} $A {sep} $B:1 {sep}:1"
    ids = [(token, made.token_to_id(token)) for token in (cls, sep)]
    return processors.TemplateProcessing(single=f"{cls} $A {sep}", pair=pair, special_tokens=ids)


def masked_language_model(architecture: str, made: PreTrainedTokenizerFast, shape: dict):
    """An untrained network of the architecture, `shape` giving its sizes by transformers' own names."""
    config_class, model_class = {
        "bert": (BertConfig, BertForMaskedLM),
        "roberta": (RobertaConfig, RobertaForMaskedLM),
        "albert": (AlbertConfig, AlbertForMaskedLM),
    }[architecture]
    special = {
        "pad_token_id": made.pad_token_id,
        "bos_token_id": made.cls_token_id,
        "eos_token_id": made.sep_token_id,
    }
    return model_class(config_class(vocab_size=len(made), attn_implementation=attention(), **special, **shape))
