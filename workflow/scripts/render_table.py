"""Measure one table from recorded results; write Markdown, CSV, LaTeX and JSON."""

from semblance.evaluation.evidence import Evidence
from semblance.evaluation.tables import measured
from semblance.job import job
from semblance.reporting.tables import write
from semblance.specs.cells import TableSpec
from semblance.specs.places import Places
from semblance.specs.typed import typed

with job(snakemake):
    evidence = Evidence(typed(Places, snakemake.params.places))
    table = measured(typed(TableSpec, snakemake.params.table), evidence, snakemake.params.not_comparable)
    write({**snakemake.params.heading, **table, "versions": evidence.versions}, snakemake.output)
