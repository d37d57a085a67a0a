"""Hold printed numbers against printed numbers: Markdown, CSV, and JSON for machines."""

from semblance.job import job
from semblance.reporting.audit import build, write

with job(snakemake):
    write(build(snakemake.params.papers), snakemake.output)
