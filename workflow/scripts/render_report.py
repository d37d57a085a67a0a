"""Render the report, one self-contained HTML page with all tables and figures."""

from semblance.job import job
from semblance.reporting.report import render

with job(snakemake):
    render(snakemake.params.content, snakemake.output[0])
