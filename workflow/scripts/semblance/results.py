"""Reading of results.json, the results of a finished preset."""

import inspect
from collections.abc import Mapping
from pathlib import Path

from semblance.errors import UserError
from semblance.files import read_json
from semblance.findings import Finding, JudgedClaim, Judgement
from semblance.specs.typed import missing, typed

MADE_WITH = {"preset", "commit", "settings", "versions", "datasets", "encoders", "recipes", "checksums"}
NEEDED = MADE_WITH | {"papers", "runs", "tables", "claims"}


def read_results(path: Path) -> dict:
    """Return the contents of a results.json; config/schema/results.yaml describes them.

    Raises:
        UserError: if the file is missing, is not JSON, or lacks something.
    """
    if not path.is_file():
        raise UserError(f"{path} is not there: run the preset first, or correct the path")
    try:
        found = read_json(path)
    except ValueError as problem:
        raise UserError(f"{path} is no JSON ({problem}): name the results.json of a preset") from None
    if not isinstance(found, dict) or (NEEDED - found.keys()):
        raise UserError(f"{path} lacks parts of a results.json: name the results.json of a preset, or run it again")
    return found


def claims_of(results: Mapping, paper: str | None = None) -> list[JudgedClaim]:
    """Return the judged claims of a paper, or of all.

    Raises:
        UserError: if they lack something, because another version of semblance judged them.
    """
    found = [claim for claim in results["claims"] if paper in (None, claim["paper"])]
    return [_known(JudgedClaim, claim, results) for claim in found]


def judgements_of(results: Mapping, paper: str) -> dict[str, list[Judgement]]:
    """Return what the trained runs of a paper learned, by run.

    Raises:
        UserError: as `claims_of`.
    """
    found: dict[str, list[Judgement]] = {}
    for run in results["runs"]:
        if run["paper"] == paper:
            judged = _known(Judgement, {**run, "made_by": {"recipe": run["recipe"]}}, results)
            found.setdefault(run["run"], []).append(judged)
    return found


def _known(kind: type[Finding], entry: Mapping, results: Mapping) -> Finding:
    """Return an entry of results as a finding, without keys that a later version of semblance has added."""
    if lacking := missing(kind, entry):
        named = f"the results of commit {results['commit']} lack {', '.join(lacking)} in {entry['paper']}"
        raise UserError(f"{named}: another version of semblance made them; run the preset again")
    known = inspect.signature(kind).parameters
    return typed(kind, {key: value for key, value in entry.items() if key in known})


def file_of(named: str) -> Path:
    """Return the file that a setting names: results.json itself, or a folder that contains it."""
    return Path(named) / "results.json" if Path(named).is_dir() else Path(named)


def check_named(*named: str | None) -> list[str]:
    """Check that all settings name results, before a job says so among Snakemake's own errors; return no files.

    Raises:
        UserError: as `read_results`, or if a setting is missing.
    """
    for one in named:
        if not one:
            raise UserError(
                "name two results: snakemake --cores 1 compare --config first=results/demo second=results/laptop"
            )
        read_results(file_of(one))
    return []
