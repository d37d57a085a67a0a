"""Render one table from predictions: Markdown, CSV, LaTeX, and JSON for machines."""

from semblance.job import job
from semblance.reporting.tables import build, write

with job(snakemake):
    table = build(snakemake.params.table, snakemake.params.predictions, snakemake.params.facts)
    write({**snakemake.params.heading, **table}, snakemake.output)
