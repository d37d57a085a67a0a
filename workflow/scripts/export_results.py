"""Collect all numbers, claims, runs and audit results of a preset in results.json."""

from semblance.job import job
from semblance.reporting.export import export
from semblance.specs.content import Content
from semblance.specs.typed import typed

with job(snakemake):
    export(typed(Content, snakemake.params.content), snakemake.output[0])
