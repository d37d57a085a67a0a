"""Features of a pair of vectors u and v, which are dense tensors or sparse arrays."""

FEATURES = {"u": lambda u, v: u, "v": lambda u, v: v, "|u-v|": lambda u, v: abs(u - v), "u*v": lambda u, v: u * v}


def of_pair(names, u, v) -> list:
    """Return the named features in the given order, each of shape (n, D).

    Args:
        names: keys of `FEATURES`.
        u: vectors of the first sentences, shape (n, D).
        v: those of the second, of the same type.
    """
    return [FEATURES[name](u, v) for name in names]
