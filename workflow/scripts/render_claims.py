"""Judge one paper's claims: Markdown, CSV, and JSON for machines."""

from semblance.evaluation.evidence import Evidence
from semblance.job import job
from semblance.reporting.claims import build, write

with job(snakemake):
    judged = build(snakemake.params.claims, Evidence(snakemake.params.places))
    write({**snakemake.params.heading, **judged}, snakemake.output)
