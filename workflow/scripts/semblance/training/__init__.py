"""The training engine and its parts."""
