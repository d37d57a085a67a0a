"""The one exception a user is meant to read."""


class UserError(Exception):
    """Something the user can put right.

    The message is one sentence: what is wrong, where (file, row, key), and what to do about it.
    """
