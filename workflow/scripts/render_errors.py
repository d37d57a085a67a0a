"""List one run's worst errors: Markdown, CSV, and JSON for machines."""

from semblance.evaluation.evidence import Evidence
from semblance.job import job
from semblance.reporting.errors import build, write

with job(snakemake):
    errors = build(snakemake.params.errors, Evidence(snakemake.params.places))
    write({**snakemake.params.heading, **errors}, snakemake.output)
