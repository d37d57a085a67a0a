"""Encoders: fetched from the configured source, or pre-trained here for the demo."""
