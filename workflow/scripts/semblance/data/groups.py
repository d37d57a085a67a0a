"""What groups of examples are called: a genre, a perturbation type, or ``type/kind`` where it has kinds of sentence."""

from __future__ import annotations

BETWEEN = "/"


def of_kind(group: str, kind: str) -> str:
    """The group of a type's examples that are of one kind of sentence."""
    return f"{group}{BETWEEN}{kind}"


def kind_of(group: str | None) -> str | None:
    """The kind of sentence that a group's examples are of, with its type; None where it is not one."""
    return group if group and BETWEEN in group else None


def names_of(group: str | None) -> set[str]:
    """What a group can be asked for by: its own name, and its type's where it is a kind of one."""
    return {group, group.partition(BETWEEN)[0]} if group is not None else set()
