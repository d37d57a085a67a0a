"""Write docs/speed-measured.json, a copy of a bench.json, and docs/speed-measured.md, the page that shows it.

python benchmarks/page.py results/laptop/bench.json
"""

import json
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workflow" / "scripts"))

from semblance.paths import ROOT
from semblance.reporting.frames import pipes

DOCS = ROOT / "docs"

TITLES = {
    "training": "Training, beside sentence-transformers",
    "cpu": "What is faster on a CPU",
    "prediction": "Prediction, beside sentence-transformers",
    "smart": "SMART's step",
    "sn3d": "Networks of sn3d, side by side over one encoder",
    "determinism": "The same training again",
    "pieces": "Batches that do not fit in memory",
    "beside": "Two trainings at once",
}


def page(suites: dict) -> str:
    """Return the page of a bench.json."""
    made = "Made by `make bench` and `benchmarks/page.py`; [Speed](speed.md) says how to read it."
    sections = [_section(name, suite) for name, suite in suites.items() if suite["measures"]]
    return "\n\n".join(["# Measured speed", made, *sections]) + "\n"


def _section(name: str, suite: dict) -> str:
    facts, pairs = suite["machine"], suite["arguments"]["pairs"]
    where = facts["gpu"] or f"{facts['processor']}, {facts['threads']} of {facts['cores']} cores"
    libraries = ("python", "torch", "transformers", "sentence-transformers")
    versions = ", ".join(f"{library} {facts[library]}" for library in libraries)
    measured = f"{where}; {versions}; {pairs} pairs, {suite['date']}, commit {suite['commit']}"
    return f"## {TITLES[name]}\n\n{measured}.\n\n{_table(suite['measures'])}"


def _table(measures: list[dict]) -> str:
    rows = [
        (
            one["name"],
            f"{one['median']:.3g} {one['unit']}".strip(),
            " to ".join(f"{end:.3g}" for end in one["quartiles"]) if len(one["values"]) > 1 else "",
            one["reach"],
        )
        for one in measures
    ]
    return pipes(("", "median", "quartiles", "target"), rows)


def main() -> None:
    [_, measured] = sys.argv
    shutil.copyfile(measured, DOCS / "speed-measured.json")
    text = page(json.loads(Path(measured).read_text(encoding="utf-8")))
    (DOCS / "speed-measured.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
