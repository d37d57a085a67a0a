"""Judge the claims of one paper; write Markdown, CSV and JSON."""

from semblance.evaluation.claims import of_paper
from semblance.evaluation.evidence import Evidence
from semblance.job import job
from semblance.reporting.claims import write

with job(snakemake):
    evidence = Evidence(snakemake.params.places)
    judged = {"claims": of_paper(snakemake.params.claims, evidence)}
    write({**snakemake.params.heading, **judged, "versions": evidence.versions}, snakemake.output)
