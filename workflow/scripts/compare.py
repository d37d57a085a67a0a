"""Compare two results.json: which numbers and verdicts differ."""

from pathlib import Path

from semblance.errors import UserError
from semblance.evaluation.differences import differences
from semblance.files import read_json
from semblance.job import job
from semblance.reporting.differences import markdown


def results(named: str | None) -> dict:
    """Return the results that a setting names: the file, or a folder that contains results.json."""
    if not named:
        raise UserError("name two results: snakemake compare --config first=results/demo second=results/laptop")
    path = Path(named)
    path = path / "results.json" if path.is_dir() else path
    if not path.is_file():
        raise UserError(f"{path} is not there: run the preset first, or correct the path in --config")
    try:
        found = read_json(path)
    except ValueError as problem:
        raise UserError(f"{path} is no JSON ({problem}): name the results.json of a preset") from None
    if not isinstance(found, dict) or not {"tables", "claims"} <= found.keys():
        raise UserError(f"{path} has no tables and claims: name the results.json of a preset")
    return found


with job(snakemake) as say:
    names = (snakemake.params.first, snakemake.params.second)
    say(f"\n{markdown(differences(*map(results, names)), names)}\n")
