"""Names of groups of examples: a genre, a perturbation type, or ``type/kind`` for one kind of sentence of a type."""

BETWEEN = "/"


def of_kind(group: str, kind: str) -> str:
    """Return the group name of one kind of sentence within a perturbation type, ``group/kind``."""
    return f"{group}{BETWEEN}{kind}"


def kind_of(group: str | None) -> str | None:
    """Return `group` if it names a kind of sentence (``type/kind``), else None."""
    return group if group and BETWEEN in group else None


def names_of(group: str | None) -> set[str]:
    """Return the names that select a group: its own and, for ``type/kind``, that of its type."""
    return {group, group.partition(BETWEEN)[0]} if group is not None else set()
