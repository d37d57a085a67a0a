"""Collect all numbers, claims, runs and audit results of a preset in results.json."""

from semblance.job import job
from semblance.reporting.export import export

with job(snakemake):
    export(snakemake.params.content, snakemake.output[0])
