"""Compare two results.json: which numbers and verdicts differ."""

from pathlib import Path

from semblance.errors import UserError
from semblance.evaluation.differences import differences
from semblance.job import job
from semblance.reporting.differences import markdown
from semblance.results import read_results


def results(named: str | None) -> dict:
    """Return the results that a setting names: the file, or a folder that contains results.json."""
    if not named:
        raise UserError("name two results: snakemake compare --config first=results/demo second=results/laptop")
    path = Path(named)
    return read_results(path / "results.json" if path.is_dir() else path)


with job(snakemake) as say:
    names = (snakemake.params.first, snakemake.params.second)
    say(f"\n{markdown(differences(*map(results, names)), names)}\n")
