"""Estimate the cost of a preset before it runs."""

from semblance.files import write_text
from semblance.job import job
from semblance.reporting.plan import text

with job(snakemake) as say:
    plan = text(snakemake.params.plan)
    write_text(snakemake.params.file, plan)
    say(f"\n{plan}\n")
