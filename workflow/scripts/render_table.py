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
    params, named = snakemake.params, snakemake.wildcards
    heading = {"paper": named.paper, "name": named.item, "about": params.about}
    table = measured(typed(TableSpec, params.table), evidence, params.not_comparable, **heading)
    write(table, evidence.provenance, snakemake.output)
