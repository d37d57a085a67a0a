"""Results of different provenance are not combined; the error names them and the remedy."""

import json
import subprocess

import numpy as np
import pytest

from claimed import judgement
from measured import CELL, EMPTY, as_json, make_table
from semblance import findings, provenance
from semblance.errors import UserError
from semblance.evaluation import predictions
from semblance.evaluation.evidence import Evidence
from semblance.files import write_json
from semblance.reporting.export import _dataset, export
from semblance.specs.content import Content, DatasetContent, PaperContent
from semblance.specs.data import Citation
from semblance.specs.places import Places, RunPlaces

MADE_BY = {"preset": "demo", "recipe": "new", "versions": {"torch": "2.13.0"}, "examples": "e1"}


@pytest.fixture
def reading(tmp_path, make_pairs):
    """Return a function that writes predictions of two runs with a given provenance, and reads both."""

    def read(first=None, second=None):
        for run, changes in (("a", first), ("b", second)):
            (tmp_path / run).mkdir()
            file = tmp_path / run / "set-test.parquet"
            predictions.write(
                file, make_pairs(("x", "y", 1), ("z", "w", 0)), np.array([0.9, 0.1]), MADE_BY | (changes or {})
            )
        evidence = Evidence(Places("demo", {run: RunPlaces("new", predictions=(str(tmp_path / run),)) for run in "ab"}))
        return [evidence.predictions(run, "set/test")[0].score.tolist() for run in "ab"], evidence.provenance

    return read


def test_what_belongs_together_is_read(reading):
    assert reading() == ([[0.9, 0.1]] * 2, {"preset": "demo", "versions": {"torch": "2.13.0"}})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"preset": "tiny"}, "is of the preset tiny, the configuration's is demo"),
        ({"recipe": "old"}, "is of the recipe old, the configuration's is new"),
        ({"versions": {"torch": "2.14.0"}}, "differ in versions (torch 2.13.0 and 2.14.0)"),
        ({"examples": "e2"}, "differ in the examples of set/test (e1 and e2)"),
    ],
)
def test_another_preset_recipe_version_or_corpus_is_refused(reading, change, words):
    with pytest.raises(UserError) as refused:
        reading(second=change)
    assert words in str(refused.value) and "b/set-test.parquet" in str(refused.value)
    assert "remove it and run again" in str(refused.value)


def test_facts_that_do_not_say_what_made_them_are_refused(tmp_path):
    (tmp_path / "facts.json").write_text("{}")
    evidence = Evidence(Places("demo", {"a": RunPlaces("new", training=(str(tmp_path),))}))
    with pytest.raises(UserError, match="facts.json does not say what made it"):
        evidence.facts("a")


def test_what_a_run_started_from_is_read_with_its_judgement(tmp_path):
    """As the leaderboard names the runs of other papers; a run without training comes between."""
    made_by = MADE_BY | {"recipe": "r"}
    found = {run: [as_json(judgement(learned, made_by=made_by))] for run, learned in (("first", "no"), ("last", "yes"))}
    write_json(tmp_path / "learned.json", found)
    names = ["stl/last", "stl/first"]
    runs = {name: RunPlaces("r", trained=tuple(names[number:])) for number, name in enumerate(names)}
    runs |= {"stl/scored": RunPlaces("s", start_from="stl/untrained", trained=tuple(names))}
    evidence = Evidence(Places("demo", runs, learned=dict.fromkeys(names, str(tmp_path / "learned.json"))))
    assert [one.learned for one in evidence.learned("stl/scored")] == ["yes"]
    before = evidence.learned_before("stl/scored")
    assert {name: [one.learned for one in found] for name, found in before.items()} == {"stl/first": ["no"]}
    assert evidence.learned_before("stl/first") == {}


def test_tables_of_other_versions_or_presets_are_not_gathered(tmp_path):
    def table(name, **made_by):
        findings.write(tmp_path / f"{name}.json", make_table(row=[CELL]), made_by)
        return str(tmp_path / f"{name}.json")

    def gathered(*tables):
        paper = PaperContent("p", "", "", None, None, tables, (), (), (), {}, {})
        audit = str(tmp_path / "audit.json")
        content = Content(
            "demo", "", EMPTY["settings"], (paper,), {}, {}, audit, "recipes.yaml", (), None, "deviations.md"
        )
        export(content, str(tmp_path / "results.json"))
        return json.loads((tmp_path / "results.json").read_text())["versions"]

    (tmp_path / "audit.json").write_text(json.dumps(EMPTY["audit"]))
    one, counted = table("one", preset="demo", versions={"torch": "1"}), table("counted", preset="demo", versions=None)
    assert gathered(counted, one) == {"torch": "1"}
    with pytest.raises(UserError, match="differ in versions .torch 1 and 2."):
        gathered(one, table("two", preset="demo", versions={"torch": "2"}))
    with pytest.raises(UserError, match="three.json is of the preset tiny, not demo"):
        gathered(one, table("three", preset="tiny", versions=None))


def test_what_computes_is_here_in_the_locks_versions(root):
    assert provenance.installed() == provenance.locked(root / "requirements.lock")["computing"]


def test_a_commit_with_files_of_ones_own_is_dirty(tmp_path, monkeypatch):
    def git(*arguments):
        identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        subprocess.run(["git", "-C", str(tmp_path), *identity, *arguments], check=True, capture_output=True)

    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    assert provenance.commit() == provenance.UNKNOWN
    git("init")
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text("preset: demo")
    git("add", ".")
    git("commit", "-m", "first")
    (tmp_path / "notes.md").write_text("changes no result")
    clean = provenance.commit()
    assert not clean.endswith("-dirty")
    (tmp_path / "config" / "mine.yaml").write_text("seeds: [1]")
    assert provenance.commit() == f"{clean}-dirty"
    (tmp_path / "unpacked").mkdir()
    monkeypatch.setattr(provenance, "ROOT", tmp_path / "unpacked")  # within the user's own repository
    assert provenance.commit() == provenance.UNKNOWN


def test_a_recipe_does_not_hang_on_the_order_of_its_keys():
    assert provenance.digest({"a": 1, "b": 2}) == provenance.digest({"b": 2, "a": 1}) != provenance.digest({"a": 1})


def test_a_recipe_stays_the_same_when_a_key_is_added_that_is_off():
    before = provenance.digest({"stages": [{"rate": 0.1}]})
    assert before == provenance.digest({"stages": [{"rate": 0.1, "frozen": None, "with": {"x": ()}}], "departs": ""})
    assert before != provenance.digest({"stages": [{"rate": 0.1, "sigma": 0}]})
    assert (
        before != provenance.digest({"stages": [{"rate": 0.1}, {}]}) != provenance.digest({"stages": [{"rate": 0.2}]})
    )


def test_results_have_the_rows_that_were_read_and_those_that_are_used(tmp_path):
    splits = {"train": {"read": 9, "used": 7, "sha256": "a"}, "held": {"read": None, "used": 2}}
    write_json(tmp_path / "facts.json", {"source": "files", "splits": {**splits, "test": {"read": 5, "used": 0}}})
    found = _dataset(DatasetContent(str(tmp_path / "facts.json"), "r", Citation("QQP", "", "")))
    assert found.rows == {"train": 7, "held": 2} and found.read == {"train": 9, "held": 0}
    assert found.sha256 == {"train": "a"}
