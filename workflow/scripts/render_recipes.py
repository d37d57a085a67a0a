"""Write the resolved recipe of every run."""

from semblance.job import job
from semblance.reporting.recipes import write
from semblance.specs.resolved import recipes_from

with job(snakemake):
    write(recipes_from(snakemake.params.recipes), snakemake.output)
