"""Write the resolved recipe of every run."""

from semblance.job import job
from semblance.reporting.recipes import write

with job(snakemake):
    write(snakemake.params.recipes, snakemake.output)
