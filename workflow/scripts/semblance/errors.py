"""The exception for errors that the user can correct, and a check that raises it."""

import difflib
from collections.abc import Iterable

SHOWN = 40  # valid names that a message lists
FEW = 5  # as many are listed even beside a suggestion


class UserError(Exception):
    """An error that the user can correct.

    The message is one sentence: what is wrong, where (file, row, key), and how to correct it.
    """


def require(name: object, known: Iterable[object], what: str, where: str) -> None:
    """Check that a name is known.

    Args:
        name: the name.
        known: all valid names.
        what: kind of thing that is named, for the message.
        where: place of the name, for the message.

    Raises:
        UserError: if it is not. The message suggests the closest valid name.
    """
    known = list(known)
    if str(name) not in map(str, known):
        raise UserError(unknown(name, known, what, where))


def unknown(name: object, known: Iterable[object], what: str, where: str, listing: str = "") -> str:
    """Return the message about an unknown name; see `require`.

    Args:
        name: the name.
        known: all valid names.
        what: kind of thing that is named.
        where: place of the name.
        listing: where to find the known ones, instead of a list of them.
    """
    names = ["null" if one is None else str(one) for one in known]
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    listed = listing or f"known are: {', '.join(names[:SHOWN]) or 'none'}{more}"
    hints = [f"did you mean {near[0]!r}?"] if near else []
    hints += [listed] if not near or len(names) <= FEW else []
    return f"{where}: there is no {what} {name!r}; {' '.join(hints)}"
