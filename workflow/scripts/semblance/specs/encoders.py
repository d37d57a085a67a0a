"""Specs of encoders: where one is fetched from, or how it is pre-trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from semblance.errors import UserError
from semblance.specs.recipe import Recipe
from semblance.specs.typed import missing, typed

# Files of an encoder. Pickles and code are excluded on purpose.
PATTERNS = ("*.json", "*.safetensors", "*.txt", "*.model", "*/config.json", "*/*.safetensors")


@dataclass(frozen=True)
class HubModel:
    """A repository on the hub.

    Attributes:
        repo: name of the repository.
        revision: full commit id.
        sha256: checksums of files.
    """

    repo: str
    revision: str
    sha256: Mapping[str, str] = field(default_factory=dict)
    kind: Literal["hub"] = "hub"


@dataclass(frozen=True)
class HubVectors:
    """Word vectors that gensim downloads, and the checksum of their file."""

    gensim: str
    md5: str
    kind: Literal["hub"] = "hub"


@dataclass(frozen=True)
class PackageModel:
    """A folder in an installed package, and checksums of its files."""

    package: str
    folder: str
    sha256: Mapping[str, str] = field(default_factory=dict)
    kind: Literal["package"] = "package"


@dataclass(frozen=True)
class ShippedModel:
    """A folder of the checkout, and checksums of its files."""

    folder: str
    sha256: Mapping[str, str] = field(default_factory=dict)
    kind: Literal["shipped"] = "shipped"


@dataclass(frozen=True)
class LocalFiles:
    """A user's folder with an encoder, or file of word vectors."""

    path: str
    sha256: Mapping[str, str] = field(default_factory=dict)
    kind: Literal["path"] = "path"

    @property
    def is_word_vectors(self) -> bool:
        return self.path.endswith((".bin", ".gz", ".txt"))


@dataclass(frozen=True)
class FirstLayers:
    """The first layers of another encoder, `start_from`; see `encoders.fetch.first_layers`."""

    start_from: str
    layers: int
    kind: Literal["generated"] = "generated"


@dataclass(frozen=True)
class Text:
    """The text of a pre-training.

    Attributes:
        generated: number of pairs from the generator; None if the text is that of splits.
        splits: prepared splits.
    """

    generated: int | None = None
    splits: tuple[str, ...] = ()


@dataclass(frozen=True)
class PairPretraining:
    """The pre-training of an encoder of pairs; see `encoders.pretrain.pair_encoder`.

    Attributes:
        architecture: ``bert``, ``roberta`` or ``albert``.
        corpus: the text.
        vocabulary: intended maximum number of tokens.
        max_length: maximum number of tokens of a sequence.
        shape: keys of the architecture's configuration in transformers.
        recipe: hyperparameters.
        masked: share of the tokens to predict, in half of the pairs.
        ranked: share of the steps that also embed the sentences separately.
    """

    architecture: Literal["bert", "roberta", "albert"]
    corpus: Text
    vocabulary: int
    max_length: int
    shape: Mapping[str, Any]
    recipe: Recipe
    masked: float = 0.0
    ranked: float = 0.0
    kind: Literal["generated"] = "generated"


@dataclass(frozen=True)
class SentencePretraining:
    """The training of a sentence encoder; see `encoders.pretrain.sentence_encoder`.

    Attributes:
        start_from: the initial encoder.
        pooling: how token states become a sentence embedding.
        corpus: the text, of which restatements are used.
        max_length: maximum number of tokens of a sequence.
        recipe: hyperparameters.
    """

    start_from: str
    pooling: Literal["mean", "max", "cls"]
    corpus: Text
    max_length: int
    recipe: Recipe
    kind: Literal["generated"] = "generated"


@dataclass(frozen=True)
class SkipGram:
    """The training of word vectors; see `encoders.word_vectors.skip_gram`."""

    corpus: Text
    dimensions: int
    epochs: int
    kind: Literal["generated"] = "generated"


Pretraining = PairPretraining | SentencePretraining | SkipGram
EncoderSource = HubModel | HubVectors | PackageModel | ShippedModel | LocalFiles | FirstLayers | Pretraining
SOURCES: dict[str, tuple[type, ...]] = {
    "hub": (HubModel, HubVectors),
    "package": (PackageModel,),
    "shipped": (ShippedModel,),
    "path": (LocalFiles,),
    "generated": (FirstLayers, PairPretraining, SentencePretraining, SkipGram),
}


@dataclass(frozen=True)
class EncoderSpec:
    """An encoder: its title, and the source of its weights."""

    title: str
    source: EncoderSource

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> EncoderSpec:
        """Return the spec of which `plain` is made by `dataclasses.asdict`."""
        return cls(plain["title"], source(plain["source"], plain["title"]))


def named(source: EncoderSource) -> dict[str, str]:
    """Return the keys that say where existing files come from."""
    keys = ("repo", "revision", "package", "path", "folder")
    return {key: getattr(source, key) for key in keys if hasattr(source, key)}


def source(plain: Mapping[str, Any], where: str) -> EncoderSource:
    """Return a source from its `kind` and keys.

    Args:
        plain: the keys, as in config/encoders.yaml or from `dataclasses.asdict`.
        where: what they belong to, for messages.

    Raises:
        UserError: keys are missing, belong to different kinds of pre-training, or have no effect.
    """
    options = SOURCES[plain["kind"]]
    found = next((option for option in options if plain.keys() <= {one.name for one in fields(option)}), None)
    if found is None:
        given = ", ".join(key for key in plain if key != "kind")
        raise UserError(f"{where}: these keys do not belong together: {given}; see config/encoders.yaml for examples")
    recipe = plain.get("recipe", {})
    needed = missing(found, plain) + ([f"recipe.{key}" for key in missing(Recipe, recipe)] if "recipe" in plain else [])
    if needed:
        raise UserError(f"{where}: {', '.join(needed)} must be set as well; see config/encoders.yaml for examples")
    corpus = plain.get("corpus")
    made: EncoderSource = typed(
        found, {**plain, "corpus": {"splits": corpus}} if isinstance(corpus, list | tuple) else plain
    )
    if isinstance(made, PairPretraining | SentencePretraining):
        defaults = {one.name: one.default for one in fields(Recipe)}
        used = {*made.recipe.used()} - {"frozen_epochs", "decayed"}  # those need a head on an encoder
        if unused := [key for key in recipe if key not in used and getattr(made.recipe, key) != defaults[key]]:
            raise UserError(f"{where}.recipe: {unused[0]} has no effect in this pre-training")
    return made
