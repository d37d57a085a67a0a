"""Judge the claims of one paper; write Markdown, CSV and JSON."""

from semblance.evaluation.claims import of_paper
from semblance.evaluation.evidence import Evidence
from semblance.findings import JudgedClaims
from semblance.job import job
from semblance.reporting.claims import write
from semblance.specs.cells import ClaimSpec
from semblance.specs.places import Places
from semblance.specs.typed import typed

with job(snakemake):
    evidence = Evidence(typed(Places, snakemake.params.places))
    claims = {name: typed(ClaimSpec, claim) for name, claim in snakemake.params.claims.items()}
    paper = snakemake.wildcards.paper
    judged = of_paper(paper, claims, evidence, snakemake.params.of_stand_ins)
    write(JudgedClaims(paper, snakemake.params.about, judged), evidence.provenance, snakemake.output)
