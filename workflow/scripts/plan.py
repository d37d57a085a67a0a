"""Estimate the cost of a preset before it runs."""

from semblance.files import write_text
from semblance.job import job
from semblance.reporting.plan import text
from semblance.specs.costs import Plan
from semblance.specs.typed import typed

with job(snakemake) as say:
    plan = text(typed(Plan, snakemake.params.plan))
    write_text(snakemake.params.file, plan)
    say(f"\n{plan}\n")
