"""Check published numbers against other numbers of the same paper; write Markdown, CSV and JSON."""

from semblance.evaluation.audit import audited
from semblance.job import job
from semblance.reporting.audit import write

with job(snakemake):
    write(audited(snakemake.params.papers), snakemake.output)
