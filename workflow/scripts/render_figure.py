"""Draw one figure as SVG and PNG."""

from semblance.evaluation.evidence import Evidence
from semblance.job import job
from semblance.reporting.figures import draw

with job(snakemake):
    draw(snakemake.params.figure, snakemake.input.data, Evidence(snakemake.params.places), snakemake.output)
