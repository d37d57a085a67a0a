"""List examples with what runs say of them: Markdown, CSV, and JSON for machines."""

from semblance.evaluation.evidence import Evidence
from semblance.job import job
from semblance.reporting.lists import build, write

with job(snakemake):
    listed = build(snakemake.params.list, Evidence(snakemake.params.places))
    write({**snakemake.params.heading, **listed}, snakemake.output)
