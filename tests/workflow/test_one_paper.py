"""One paper alone from end to end, in a minute: what `make test` shows of the workflow; test_tiny.py has all papers."""

import json

import jsonschema

from semblance.config.files import read_yaml

ALONE = "preset=tiny papers=[minilm]"


def test_a_paper_alone_goes_from_data_to_its_report_and_asking_again_runs_nothing(fresh, root):
    fresh.snakemake(config=ALONE)
    results, paper = fresh.path / "results/tiny", fresh.project(papers=["minilm"]).papers["minilm"]
    for kind, names in {"tables": paper.tables, "figures": paper.figures, "lists": paper.lists}.items():
        made = {path.stem for path in (results / kind).glob("minilm-*") if path.stat().st_size}
        assert made == {f"minilm-{name}" for name in names}
    exported = json.loads((results / "results.json").read_text())
    jsonschema.validate(exported, read_yaml(root / "config/schema/results.yaml"))
    assert [claim["claim"] for claim in exported["claims"]] == list(paper.claims)
    assert {run["paper"] for run in exported["runs"]} == {"minilm"} == {table["paper"] for table in exported["tables"]}
    numbers = [number for table in exported["tables"] for number in table["numbers"]]
    assert numbers and all(number["value"] is not None or number["undefined"] for number in numbers)
    report = (results / "report.html").read_text()
    assert paper.title in report and "stl-table2" not in report
    assert fresh.planned(config=ALONE) == {}
