"""Check published numbers against other numbers of the same paper; write Markdown, CSV and JSON."""

from semblance.job import job
from semblance.reporting.audit import build, write

with job(snakemake):
    write(build(snakemake.params.papers), snakemake.output)
