"""Dataclasses from plain values, the inverse of `dataclasses.asdict`."""

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

Spec = TypeVar("Spec")


def typed(kind: type[Spec], value: Mapping[str, Any]) -> Spec:
    """Return a dataclass whose fields are the entries of `value`, and recursively those of its fields."""
    hints: dict[str, Any] = _hints(kind)
    return kind(**{name: _field(hints[name], part) for name, part in value.items()})


_hints: Callable[[Any], dict[str, Any]] = cache(get_type_hints)


def _field(hint: Any, value: Any) -> Any:
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if isinstance(value, Mapping):
        specs: list[Any] = [option for option in options if is_dataclass(option)]
        if specs:
            return typed(specs[0], value)
        item = next((get_args(option)[1] for option in options if get_args(option)), Any)
        return {key: _field(item, part) for key, part in value.items()}
    if not isinstance(value, list | tuple):
        return value
    item = next((get_args(option)[0] for option in options if get_origin(option) is tuple), Any)
    return tuple(_field(item, part) for part in value)
