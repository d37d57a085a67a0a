"""Typed specifications, loaded from the configuration. They import only the standard library."""
