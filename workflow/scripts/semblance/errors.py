"""The exception for errors that the user can correct, and a check that raises it."""

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """An error that the user can correct.

    The message is one sentence: what is wrong, where (file, row, key), and how to correct it.
    """


def require(name: object, known: Iterable[str], what: str, where: str) -> None:
    """Check that a name is known.

    Args:
        name: the name.
        known: all valid names.
        what: kind of thing that is named, for the message.
        where: place of the name, for the message.

    Raises:
        UserError: if it is not. The message suggests the closest valid name.
    """
    known = list(map(str, known))
    if str(name) in known:
        return
    near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(known) or 'none'}"
    raise UserError(f"{where}: there is no {what} {name!r}; {hint}")
