"""List examples with the predictions of runs; write Markdown, CSV and JSON."""

from semblance.evaluation.evidence import Evidence
from semblance.evaluation.lists import listed
from semblance.job import job
from semblance.reporting.lists import write
from semblance.specs.cells import ListSpec
from semblance.specs.places import Places
from semblance.specs.typed import typed

with job(snakemake):
    evidence = Evidence(typed(Places, snakemake.params.places))
    spec, of, about = typed(ListSpec, snakemake.params.list), snakemake.wildcards, snakemake.params.about
    found = listed(spec, evidence, paper=of.paper, name=of.item, about=about)
    write(found, evidence.provenance, snakemake.output)
