"""Untrained BERT, RoBERTa and ALBERT encoders with matching tokenizers.

They differ like the originals: WordPiece and segment embeddings (BERT), byte-level BPE and RoBERTa's special tokens
(RoBERTa), a Unigram vocabulary and layers with shared weights (ALBERT).
"""

import math
from collections import Counter
from collections.abc import Iterable

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from torch import nn
from transformers import (
    AlbertConfig,
    AutoModelForSequenceClassification,
    BertConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    RobertaConfig,
)

from semblance.cpu import attention

LAST_NORMS = ("output.LayerNorm.weight", "full_layer_layer_norm.weight")  # of BERT and RoBERTa; of ALBERT
STATES = 0.6  # initial root mean square of a block's states, as in trained encoders (0.57 in MiniLM)
CONFIGS = {"bert": BertConfig, "roberta": RobertaConfig, "albert": AlbertConfig}
LOWER = normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()])
SPECIAL = {
    "bert": {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"},
    "roberta": {"pad": "<pad>", "unk": "<unk>", "cls": "<s>", "sep": "</s>", "mask": "<mask>"},
    "albert": {"pad": "<pad>", "unk": "<unk>", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"},
}


def tokenizer(architecture: str, texts: Iterable[str], vocabulary: int) -> PreTrainedTokenizerFast:
    """Train the tokenizer of an architecture.

    Args:
        architecture: ``bert``, ``roberta`` or ``albert``.
        texts: training texts.
        vocabulary: intended maximum number of tokens.
    """
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
    """Count the words that the normaliser and the pre-tokeniser produce.

    The library's WordPiece and Unigram trainers are not deterministic. A vocabulary of frequent words, and of
    characters for all other words, is deterministic and sufficient here.
    """
    normal = (made.normalizer.normalize_str(text) for text in texts)
    return Counter(word for text in normal for word, _ in made.pre_tokenizer.pre_tokenize_str(text))


def _most_common(counts: Counter[str], size: int) -> list[str]:
    longer = (word for word in counts if len(word) > 1)
    return sorted(longer, key=lambda word: (-counts[word], word))[: max(size, 0)]


def _post_processor(architecture: str, made: Tokenizer) -> processors.TemplateProcessing:
    cls, sep = SPECIAL[architecture]["cls"], SPECIAL[architecture]["sep"]
    # RoBERTa separates a pair by two separators and has only one segment.
    pair = f"{cls} $A {sep} {sep} $B {sep}" if architecture == "roberta" else f"{cls} $A {sep} $B:1 {sep}:1"
    ids = [(token, made.token_to_id(token)) for token in (cls, sep)]
    return processors.TemplateProcessing(single=f"{cls} $A {sep}", pair=pair, special_tokens=ids)


def pair_classifier(architecture: str, made: PreTrainedTokenizerFast, shape: dict) -> PreTrainedModel:
    """Return an untrained network with a head that gives one logit per pair.

    Initial weights have a standard deviation of 1/√width, because BERT's value of 0.02 is meant for a width of 768.

    Args:
        architecture: ``bert``, ``roberta`` or ``albert``.
        made: the tokenizer of the network.
        shape: sizes of the network, by the names of transformers' configuration.
    """
    special = {
        "pad_token_id": made.pad_token_id,
        "bos_token_id": made.cls_token_id,
        "eos_token_id": made.sep_token_id,
    }
    spread = {"initializer_range": shape["hidden_size"] ** -0.5, "attn_implementation": attention("cpu")}
    config = CONFIGS[architecture](vocab_size=len(made), num_labels=1, **special, **spread, **shape)
    made = AutoModelForSequenceClassification.from_config(config)
    for name, weights in made.named_parameters():
        if name.endswith(LAST_NORMS) and "attention" not in name:
            nn.init.constant_(weights, STATES)
    return made
