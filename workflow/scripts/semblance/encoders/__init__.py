"""Encoders: fetched from where the configuration says, or made here for the demo."""
