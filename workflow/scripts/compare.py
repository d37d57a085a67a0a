"""Compare two results.json: which numbers and verdicts differ."""

from semblance.evaluation.differences import between
from semblance.job import job
from semblance.reporting.differences import markdown
from semblance.results import file_of, read_results

with job(snakemake) as say:
    names = (snakemake.params.first, snakemake.params.second)
    found = between(*(read_results(file_of(name)) for name in names))
    say(f"\n{markdown(found, names)}\n")
