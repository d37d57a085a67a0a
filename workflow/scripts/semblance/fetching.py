"""The message about what cannot be fetched, whatever fetches it."""

from collections.abc import Iterator
from contextlib import contextmanager

from semblance.errors import UserError


@contextmanager
def fetching(what: str, otherwise: str, errors: tuple[type[Exception], ...] = (Exception,)) -> Iterator[None]:
    """Turn an error within the block into one that says what to do.

    Args:
        what: what is fetched, and from where.
        otherwise: what the user can do without a network.
        errors: the errors of a download. By default all, because those of the hub, of its HTTP client and of the
            system have no common class.

    Raises:
        UserError: if one of the errors occurs.
    """
    try:
        yield
    except errors as problem:
        reason = f"{type(problem).__name__}: {problem}".partition("\n")[0]
        raise UserError(f"{what} cannot be fetched ({reason}): check the network, or {otherwise}") from problem
