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
    spec, params, of = typed(TableSpec, snakemake.params.table), snakemake.params, snakemake.wildcards
    table = measured(spec, evidence, params.not_comparable, paper=of.paper, name=of.item, about=params.about)
    write(table, evidence.provenance, snakemake.output)
