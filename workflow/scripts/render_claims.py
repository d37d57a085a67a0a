"""Judge one paper's claims: Markdown, CSV, and JSON for machines."""

from semblance.evaluation.evidence import Evidence
from semblance.job import job
from semblance.reporting.claims import build, write

with job(snakemake):
    evidence = Evidence(snakemake.params.places)
    judged = build(snakemake.params.claims, evidence)
    write({**snakemake.params.heading, **judged, "versions": evidence.versions}, snakemake.output)
