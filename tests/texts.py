"""Helper for tests of Markdown."""

import re


def squeezed(markdown: str) -> str:
    """Return Markdown without the spaces that align its tables."""
    return re.sub(" +", " ", markdown)
