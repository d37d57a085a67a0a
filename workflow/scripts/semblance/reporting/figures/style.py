"""Colours, markers and settings that all figures share."""

STYLE = {
    "svg.hashsalt": "semblance",  # bit-identical files
    "svg.fonttype": "none",
    "text.parse_math": False,  # a name may contain dollars
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "legend.frameon": False,
}
# The palette of Okabe and Ito for colour-blind readers, a grey and black. The markers distinguish series in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555", "#000000")
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "*", "p")  # one more than colours, so that no pair of both returns soon


def style(number: int) -> dict[str, str]:
    """Return the colour and the marker of a series."""
    return {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}
