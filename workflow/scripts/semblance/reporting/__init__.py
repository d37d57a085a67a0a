"""Rendering of tables, claims, lists, figures and the report."""
