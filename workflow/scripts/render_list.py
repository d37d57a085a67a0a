"""List examples with the predictions of runs; write Markdown, CSV and JSON."""

from semblance.evaluation.evidence import Evidence
from semblance.job import job
from semblance.reporting.lists import build, write

with job(snakemake):
    evidence = Evidence(snakemake.params.places)
    listed = build(snakemake.params.list, evidence)
    write({**snakemake.params.heading, **listed, "versions": evidence.versions}, snakemake.output)
