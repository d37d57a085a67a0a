"""The one exception a user is meant to read, and the commonest reason for it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """Something the user can put right.

    The message is one sentence: what is wrong, where (file, row, key), and what to do about it.
    """


def require(name: object, known: Iterable[str], what: str, where: str) -> None:
    """Raise UserError unless `name` is among `known`, naming `where` and the nearest right name."""
    known = list(map(str, known))
    if str(name) in known:
        return
    near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(known) or 'none'}"
    raise UserError(f"{where}: there is no {what} {name!r}; {hint}")
