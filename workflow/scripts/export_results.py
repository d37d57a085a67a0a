"""Gather every number, claim and printed mistake into results.json."""

from semblance.job import job
from semblance.reporting.export import export

with job(snakemake):
    export(snakemake.params.content, snakemake.output[0])
