"""Dataclasses from plain values, the inverse of `dataclasses.asdict`."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

Spec = TypeVar("Spec")


def typed(kind: type[Spec], value: Mapping[str, Any], *, only_known: bool = False) -> Spec:
    """Return a dataclass whose fields are the entries of `value`, and recursively those of its fields.

    Args:
        kind: the dataclass.
        value: its fields by name.
        only_known: whether entries that are no fields are left out.

    Raises:
        TypeError: if `value` lacks a field, or has an unknown one.
    """
    hints: dict[str, Any] = _hints(kind)
    if not only_known and (unknown := value.keys() - hints.keys()):
        raise TypeError(f"{kind.__name__} has no {', '.join(sorted(unknown))}")
    given = {name: _field(hints[name], part, only_known) for name, part in value.items() if name in hints}
    if len(given) < len(hints) and (lacking := missing(kind, given)):
        raise TypeError(f"{kind.__name__} lacks {', '.join(lacking)}")
    return kind(**given)


def missing(kind: Any, given: Collection[str]) -> list[str]:
    """Return the fields of a dataclass that have no default and are not given."""
    required = [one.name for one in fields(kind) if one.default is MISSING and one.default_factory is MISSING]
    return [name for name in required if name not in given]


_hints: Callable[[Any], dict[str, Any]] = cache(get_type_hints)


def _field(hint: Any, value: Any, only_known: bool) -> Any:
    if hint is Any or not isinstance(value, Mapping | list | tuple):
        return value
    spec, of_mapping, of_tuple = _parts(hint)
    if not isinstance(value, Mapping):
        return tuple(_field(of_tuple, part, only_known) for part in value)
    if spec:
        return typed(spec, value, only_known=only_known)
    return {key: _field(of_mapping, part, only_known) for key, part in value.items()}


@cache  # a configuration has tens of thousands of fields
def _parts(hint: Any) -> tuple[Any, Any, Any]:
    """Return a hint's dataclass or None, the type of its mapping's values, and that of its tuple's items."""
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    spec = next((option for option in options if is_dataclass(option)), None)
    of_mapping = next((get_args(option)[1] for option in options if len(get_args(option)) > 1), Any)
    of_tuple = next((get_args(option)[0] for option in options if get_origin(option) is tuple), Any)
    return spec, of_mapping, of_tuple
