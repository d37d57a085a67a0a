"""Measure one table from recorded results; write Markdown, CSV, LaTeX and JSON."""

from semblance.evaluation.evidence import Evidence
from semblance.job import job
from semblance.reporting.tables import build, write

with job(snakemake):
    evidence = Evidence(snakemake.params.places)
    table = build(snakemake.params.table, evidence, snakemake.params.not_comparable)
    write({**snakemake.params.heading, **table, "versions": evidence.versions}, snakemake.output)
