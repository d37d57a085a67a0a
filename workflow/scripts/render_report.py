"""Render the report, one self-contained HTML page with all tables and figures."""

from semblance.job import job
from semblance.reporting.report import render
from semblance.specs.content import Content
from semblance.specs.typed import typed

with job(snakemake):
    render(typed(Content, snakemake.params.content), snakemake.output[0])
