"""Compare the key scores of a finished preset with the expected ranges.

Usage: python workflow/scripts/verify.py demo

Exits with status 1 if a score is outside its range. The ranges are in tests/expected/{preset}.yaml.
"""

import sys
from pathlib import Path

import yaml

from semblance.errors import UserError
from semblance.evaluation.expected import Expected, checks, other_rows
from semblance.paths import ROOT
from semblance.results import read_results
from semblance.specs.typed import typed


def main(preset: str) -> int:
    """Compare the results of a preset with the expected scores; return the exit status."""
    expected, results = ROOT / "tests" / "expected" / f"{preset}.yaml", Path("results") / preset / "results.json"
    if not expected.is_file():
        known = ", ".join(sorted(file.stem for file in expected.parent.glob("*.yaml")))
        print(f"semblance: tests/expected has no ranges for {preset}; it has {known}: make verify PRESET=…")
        return 1
    try:
        made, wanted = read_results(results), typed(Expected, yaml.safe_load(expected.read_text(encoding="utf-8")))
        found = checks(wanted, made)
    except UserError as problem:
        print(f"semblance: {problem}")
        return 1
    settings = made.settings.plain()
    print(f"{results}: commit {made.commit}, data {settings['data_source']}, seeds {settings['seeds']}")
    if missing := sorted(wanted.papers - made.papers.keys()):
        print(f"Not checked, because these papers were not run: {', '.join(missing)}.")
    for name, rows in other_rows(wanted, made):
        print(f"{name} was read from {rows[0]:,} rows, the expected scores from {rows[1]:,}: they can differ by more.")
    failed = [check for check in found if not check.holds]
    print(*found, sep="\n")
    print(f"{len(found) - len(failed)} of {len(found)} key scores of {preset} are as expected.")
    if failed:
        print(
            "The others are not: something that is computed has changed, or this machine differs by more than the "
            f"ranges allow. See {expected.relative_to(ROOT)}."
        )
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]) if sys.argv[1:] else __doc__)
