"""Check published numbers against other numbers of the same paper; write Markdown, CSV and JSON."""

from semblance.evaluation.audit import audited
from semblance.job import job
from semblance.reporting.audit import write
from semblance.specs.cells import TableSpec
from semblance.specs.typed import typed

with job(snakemake):
    papers = snakemake.params.papers.items()
    tables = {paper: {name: typed(TableSpec, table) for name, table in found.items()} for paper, found in papers}
    write(audited(tables), snakemake.output)
