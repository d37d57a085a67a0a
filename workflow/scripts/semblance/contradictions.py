"""Published numbers that contradict other numbers of the same paper; `evaluation.audit` finds them."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """A published number, compared with the value that other published numbers imply.

    Attributes:
        kind: kind of the check.
        printed: the published number.
        gives: the value that the other numbers imply.
        holds: whether both agree within rounding.
        out_of: for a share, the number of examples that it is a share of.
    """

    kind: str
    printed: float
    gives: float
    holds: bool
    out_of: int | None = None


@dataclass(frozen=True)
class Contradiction:
    """A check that fails.

    Attributes:
        paper: name of the paper.
        source: the table or section.
        row: row of the published number.
        column: its column.
        digits: its digits after the decimal point.
        check: kind of the check.
        printed: the published number.
        gives: the value that the other numbers imply.
        out_of: for a share, the number of examples that it is a share of.
    """

    paper: str
    source: str
    row: str
    column: str
    digits: int
    check: str
    printed: float
    gives: float
    out_of: int | None


@dataclass(frozen=True)
class Audit:
    """The numbers of checks of published numbers by kind, and those that fail."""

    checks: Mapping[str, int]
    failed: tuple[Contradiction, ...]
