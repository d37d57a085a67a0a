"""Draw one figure as SVG and PNG."""

from semblance.evaluation.evidence import Evidence
from semblance.evaluation.figures import measured
from semblance.job import job
from semblance.reporting.figures import draw
from semblance.specs.cells import FigureSpec
from semblance.specs.places import Places
from semblance.specs.typed import typed

with job(snakemake):
    evidence = Evidence(typed(Places, snakemake.params.places))
    figure = typed(FigureSpec, snakemake.params.figure)
    draw(figure, measured(figure, snakemake.input.data, evidence), snakemake.output)
