"""The encoders of config/encoders.yaml, and their sources under the settings."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from semblance.config.files import SETTINGS
from semblance.errors import UserError, require
from semblance.files import read_json
from semblance.paths import ROOT, SHIPPED
from semblance.specs.encoders import (
    EncoderSource,
    EncoderSpec,
    FirstLayers,
    LocalFiles,
    Pretraining,
    SentencePretraining,
    ShippedModel,
    source,
)
from semblance.specs.settings import Settings


@dataclass(frozen=True)
class Described:
    """An encoder of config/encoders.yaml: its title, and all its sources by kind."""

    title: str
    sources: Mapping[str, EncoderSource]


def described(name: str, plain: Mapping[str, Any]) -> Described:
    """Return an encoder from its entry in config/encoders.yaml.

    Raises:
        UserError: a source lacks keys, or has keys that do not belong together.
    """
    keys = {kind: {"kind": kind, **keys} for kind, keys in plain.items() if kind != "title"}
    return Described(
        plain["title"], {kind: source(one, f"config/encoders.yaml: {name}.{kind}") for kind, one in keys.items()}
    )


@dataclass(frozen=True)
class Encoders:
    """The encoders, and where their weights come from under the settings."""

    described: Mapping[str, Described]
    settings: Settings

    def __iter__(self) -> Iterator[str]:
        return iter(self.described)

    def __getitem__(self, name: str) -> EncoderSpec:
        """Return what making an encoder depends on.

        Raises:
            UserError: the encoder does not have the source that the settings want, or lacks keys of it.
        """
        name = self.made(name)
        choice, described = self.settings.encoder(name), self.described[name]
        kind = choice.source or self.settings.encoder_source
        if kind == "path":
            if choice.path is None:
                raise UserError(f"{SETTINGS}: encoders.{name} comes from a path, but encoders.{name}.path is not set")
            return EncoderSpec(choice.path, LocalFiles(choice.path))
        own, changes = described.sources.get(kind), choice.changes(kind)
        if changes:
            own = source({"kind": kind, **_merged(own, changes)}, f"config: encoders.{name}.{kind}")
        if own is None:
            raise UserError(
                f"config/encoders.yaml: {name} has no source {kind!r}; it has {', '.join(described.sources)}: "
                f"set encoder_source, or encoders.{name}.source"
            )
        if isinstance(own, ShippedModel):
            weights = read_json(ROOT / own.folder / SHIPPED)["weights_sha256"]
            own = replace(own, sha256={"model.safetensors": weights})
        return EncoderSpec(described.title, own)

    def made(self, name: str) -> str:
        """Return the encoder that is made for `name`: the one that `same_as` names, if it is set."""
        other = self.settings.encoder(name).same_as
        return self.made(other) if other else name

    def pretraining(self, name: str) -> Pretraining | None:
        """Return how an encoder is pre-trained, or was, if it is shipped; None for one that is fetched."""
        found = self[name].source
        if isinstance(found, ShippedModel):
            found = self.described[self.made(name)].sources["generated"]
        return found if isinstance(found, Pretraining) else None

    def start_of(self, name: str) -> str | None:
        """Return the encoder from which another one is made here."""
        found = self[name].source
        return found.start_from if isinstance(found, SentencePretraining | FirstLayers) else None

    def chain(self, name: str) -> list[str]:
        """Return the encoder that is made for `name` and those from which it is made, one after another.

        Raises:
            UserError: one of them is unknown, or they lead back to one of them.
        """
        found = [self.made(name)]
        while start := self.start_of(found[-1]):
            where = f"config: encoders.{found[-1]}.generated.start_from"
            require(start, self, "encoder", where)
            found.append(self.made(start))
            if found[-1] in found[:-1]:
                raise UserError(f"{where} goes in a circle: {' → '.join(found)}")
        return found

    def read_by(self, name: str) -> list[str]:
        """Return the splits on whose texts an encoder is pre-trained."""
        found = self[name].source
        return list(found.corpus.splits) if isinstance(found, Pretraining) else []

    def has_published_weights(self, name: str) -> bool:
        """Return whether an encoder's weights are those that the papers used; those from a path are assumed to be."""
        found = self[name].source
        if found.kind in ("hub", "package"):
            return found == self.described[name].sources.get(found.kind)
        return found.kind == "path" and self.made(name) == name


def _merged(own: EncoderSource | None, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a source with changed ones; those of a recipe are changed one by one."""
    keys = asdict(own) if own else {}
    recipes = {"recipe": {**keys.get("recipe", {}), **changes["recipe"]}} if "recipe" in changes else {}
    return {**keys, **changes, **recipes}
