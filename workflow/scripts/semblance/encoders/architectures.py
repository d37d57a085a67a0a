"""Untrained encoders in BERT's, RoBERTa's and ALBERT's shape, each with its own kind of tokenizer.

The shapes differ as the originals do: WordPiece with segment embeddings (BERT), byte-level BPE with
RoBERTa's special tokens (RoBERTa), a Unigram vocabulary with layers that share weights (ALBERT).
"""

from __future__ import annotations

import math
from collections import Counter
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

LOWER = normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()])
SPECIAL = {
    "bert": {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"},
    "roberta": {"pad": "<pad>", "unk": "<unk>", "cls": "<s>", "sep": "</s>", "mask": "<mask>"},
    "albert": {"pad": "<pad>", "unk": "<unk>", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"},
}


def tokenizer(architecture: str, texts: Iterable[str], vocabulary: int) -> PreTrainedTokenizerFast:
    """A tokenizer of the architecture's kind, made from `texts`, with at most `vocabulary` tokens."""
    made = {"bert": _wordpiece, "roberta": _byte_level_bpe, "albert": _unigram}[architecture](texts, vocabulary)
    made.post_processor = _post_processor(architecture, made)
    names = {f"{role}_token": token for role, token in SPECIAL[architecture].items()}
    inputs = ["input_ids", "attention_mask"] + (["token_type_ids"] if architecture != "roberta" else [])
    return PreTrainedTokenizerFast(tokenizer_object=made, model_input_names=inputs, **names)


def _wordpiece(texts: Iterable[str], vocabulary: int) -> Tokenizer:
    special = SPECIAL["bert"]
    made = Tokenizer(models.WordPiece(unk_token=special["unk"]))
    made.normalizer, made.pre_tokenizer, made.decoder = LOWER, pre_tokenizers.BertPreTokenizer(), decoders.WordPiece()
    counts = _counted(made, texts)
    characters = sorted(set("".join(counts)))
    pieces = [*special.values(), *characters, *(f"##{c}" for c in characters)]
    pieces += _most_common(counts, vocabulary - len(pieces))
    made.model = models.WordPiece(vocab={piece: n for n, piece in enumerate(pieces)}, unk_token=special["unk"])
    return made


def _unigram(texts: Iterable[str], vocabulary: int) -> Tokenizer:
    special = SPECIAL["albert"]
    made = Tokenizer(models.Unigram())
    made.normalizer, made.pre_tokenizer, made.decoder = LOWER, pre_tokenizers.Metaspace(), decoders.Metaspace()
    counts = _counted(made, texts)
    characters = Counter(c for word, count in counts.items() for c in word for _ in range(count))
    words = _most_common(counts, vocabulary - len(special) - len(characters))
    total = sum(counts.values()) + sum(characters.values())
    pieces = [(token, 0.0) for token in special.values()]
    pieces += [(c, math.log(characters[c] / total)) for c in sorted(characters)]
    pieces += [(word, math.log(counts[word] / total)) for word in words]
    made.model = models.Unigram(pieces, unk_id=list(special).index("unk"))
    made.add_special_tokens(list(special.values()))
    return made


def _byte_level_bpe(texts: Iterable[str], vocabulary: int) -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=True), decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(SPECIAL["roberta"].values()),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    return made


def _counted(made: Tokenizer, texts: Iterable[str]) -> Counter[str]:
    """How often each word occurs, a word being what the normaliser and the pre-tokeniser make one.

    The library's own WordPiece and Unigram trainers give another vocabulary at every call; whole words,
    and characters for the rest, are enough here and always the same.
    """
    normal = (made.normalizer.normalize_str(text) for text in texts)
    return Counter(word for text in normal for word, _ in made.pre_tokenizer.pre_tokenize_str(text))


def _most_common(counts: Counter[str], size: int) -> list[str]:
    longer = (word for word in counts if len(word) > 1)
    return sorted(longer, key=lambda word: (-counts[word], word))[: max(size, 0)]


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
