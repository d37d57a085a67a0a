"""Compare the key scores of a finished preset with the expected ranges.

Usage: python workflow/scripts/verify.py demo

Exits with status 1 if a score is outside its range. The ranges are in tests/expected/{preset}.yaml.
"""

import sys
from pathlib import Path

import yaml

from semblance.errors import UserError
from semblance.evaluation.expected import checks
from semblance.files import read_json
from semblance.paths import ROOT


def of_papers(expected: dict, papers: dict) -> dict:
    """Return the expectations for these papers, without the share of runs that learned if papers are missing."""
    known = {name.split("/")[0] for part in ("runs", "cells") for name in expected[part]}
    if missing := sorted(known - papers.keys()):
        print(f"Not checked, because these papers were not run: {', '.join(missing)}.")
    partial = {
        part: {k: v for k, v in expected[part].items() if k.split("/")[0] in papers} for part in ("runs", "cells")
    }
    return partial if missing else {**expected, **partial}


def main(preset: str) -> int:
    expected, results = ROOT / "tests" / "expected" / f"{preset}.yaml", Path("results") / preset / "results.json"
    for needed in (expected, results):
        if not needed.is_file():
            print(f"semblance: {needed} does not exist: run the preset first, or name one that has expected scores")
            return 1
    try:
        made = read_json(results)
        found = checks(of_papers(yaml.safe_load(expected.read_text(encoding="utf-8")), made["papers"]), made)
    except UserError as problem:
        print(f"semblance: {problem}")
        return 1
    failed = [check for check in found if not check.holds]
    print(*found, sep="\n")
    print(f"{len(found) - len(failed)} of {len(found)} key scores of {preset} are as expected.")
    if failed:
        print(f"The others are not: something that is computed has changed. See {expected.relative_to(ROOT)}.")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]) if sys.argv[1:] else __doc__)
