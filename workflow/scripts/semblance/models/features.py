"""Features of a pair of vectors u and v, which are dense tensors or sparse arrays."""

FEATURES = {"u": lambda u, v: u, "v": lambda u, v: v, "|u-v|": lambda u, v: abs(u - v), "u*v": lambda u, v: u * v}


def of_pair(names, u, v) -> list:
    """Return the named features in the given order, each of the shape of u and v; names are keys of `FEATURES`."""
    return [FEATURES[name](u, v) for name in names]
