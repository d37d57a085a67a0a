"""Tables, figures and the report, rendered from numbers alone."""
