"""The configuration: read, checked against schemas and against itself, and expanded into runs."""
