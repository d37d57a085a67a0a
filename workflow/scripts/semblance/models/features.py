"""Features of a pair of vectors u and v: numbers of a dense tensor or of a sparse array alike."""

FEATURES = {"u": lambda u, v: u, "v": lambda u, v: v, "|u-v|": lambda u, v: abs(u - v), "u*v": lambda u, v: u * v}


def of_pair(names, u, v) -> list:
    """The features called `names`, in that order, each of the shape of u and v."""
    return [FEATURES[name](u, v) for name in names]
