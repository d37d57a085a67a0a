"""Draw all claims and all published scores as SVG and PNG."""

from semblance.findings import JudgedClaims, MeasuredTable, read
from semblance.job import job
from semblance.reporting.figures import overview, save

with job(snakemake):
    made = snakemake.output
    judged = [read(file, JudgedClaims) for file in snakemake.input.claims]
    claims = [(of_paper.paper, claim) for of_paper in judged for claim in of_paper.claims]
    tables = [read(file, MeasuredTable) for file in snakemake.input.tables]
    save(lambda: overview.effects(claims), made.claims_svg, made.claims_png)
    save(lambda: overview.scatter(tables), made.numbers_svg, made.numbers_png)
