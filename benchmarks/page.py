"""Write measurements to docs/speed-measured.json, and docs/speed-measured.md, the page that shows them.

    python benchmarks/page.py results/laptop/bench.json results/scaling/scaling.json

Benchmarks that the given files do not have stay as they are.
"""

import json
import shutil
import sys
from collections import Counter
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
    "scaling": "Larger corpora",
}


def page(suites: dict) -> str:
    """Return the page of a bench.json."""
    parts = [
        "# Measured speed",
        "Made by `benchmarks/page.py` from the files of the benchmarks. [Speed](speed.md) explains it.",
    ]
    shown = {name: suite for name, suite in suites.items() if suite["measures"]}
    facts = {name: _facts(suite) for name, suite in shown.items()}
    [(most, _)] = Counter(facts.values()).most_common(1)  # benchmarks can be repeated one by one, on other machines
    parts += [f"Unless a section says otherwise: {most}"]
    for name, suite in shown.items():
        parts += [f"## {TITLES[name]}", *([facts[name]] if facts[name] != most else []), _table(suite["measures"])]
    return "\n\n".join(parts) + "\n"


def _facts(suite: dict) -> str:
    facts = suite["machine"]
    pairs = f"{suite['arguments']['pairs']} pairs, " if suite["arguments"] else ""  # scaling.py has them in its rows
    where = facts["gpu"] or f"{facts['processor']}, {facts['threads']} of {facts['cores']} cores"
    libraries = ("python", "torch", "transformers", "sentence-transformers")
    versions = ", ".join(f"{library} {facts[library]}" for library in libraries)
    return f"{where}; {versions}; {pairs}{suite['date']}, commit {suite['commit']}."


def _table(measures: list[dict]) -> str:
    rows = [
        (
            one["name"],
            f"{_rounded(one['median'])} {one['unit']}".strip(),
            " to ".join(map(_rounded, one["quartiles"])) if len(one["values"]) > 1 else "",
            one["reach"],
        )
        for one in measures
    ]
    return pipes(("", "median", "quartiles", "target"), rows)


def _rounded(value: float) -> str:
    """Return a number with three significant digits, such as 9,750, 0.372 or 1.29e+11."""
    return f"{float(f'{value:.3g}'):,g}"


def main() -> None:
    kept = DOCS / "speed-measured.json"
    measured = json.loads(kept.read_text(encoding="utf-8"))
    for file in map(Path, sys.argv[1:]):
        measured |= json.loads(file.read_text(encoding="utf-8"))
        if (picture := file.with_suffix(".svg")).is_file():
            shutil.copyfile(picture, DOCS / "results" / picture.name)
    kept.write_text(json.dumps(measured, indent=2) + "\n", encoding="utf-8")
    (DOCS / "speed-measured.md").write_text(page(measured), encoding="utf-8")


if __name__ == "__main__":
    main()
