"""Measure one table from recorded results; write Markdown, CSV, LaTeX and JSON."""

from semblance.evaluation.evidence import Evidence
from semblance.evaluation.tables import measured
from semblance.job import job
from semblance.reporting.tables import write

with job(snakemake):
    evidence = Evidence(snakemake.params.places)
    table = measured(snakemake.params.table, evidence, snakemake.params.not_comparable)
    write({**snakemake.params.heading, **table, "versions": evidence.versions}, snakemake.output)
