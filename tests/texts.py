"""What tests of Markdown share."""

import re


def squeezed(markdown: str) -> str:
    """Markdown without the spaces that align its tables."""
    return re.sub(" +", " ", markdown)
