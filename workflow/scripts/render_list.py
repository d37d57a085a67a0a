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
    found = listed(typed(ListSpec, snakemake.params.list), evidence)
    write({**snakemake.params.heading, **found, "versions": evidence.versions}, snakemake.output)
