"""Published results: their README says what results.json does, and whether the configuration would make them again."""

from copy import deepcopy
from pathlib import Path

import jsonschema
import pytest

import publish
from claimed import judged_claim, judgement
from configuration import project
from measured import EMPTY, as_json
from semblance.config.files import read_yaml
from semblance.errors import UserError
from semblance.files import read_json, sha256, write_json
from semblance.planning import digests
from semblance.planning.published import Published
from semblance.registry import METRICS
from semblance.reporting.published import readme
from semblance.results import Results, read_results
from semblance.specs.typed import typed
from semblance.vocabulary import Verdict

RUN = {**as_json(judgement("yes")), "paper": "stl", "run": "bert-qqp", "seed": 1, "recipe": ""}
RUN.pop("made_by")
UNPINNED = {"repo": None, "revision": None, "weights_sha256": None}
CLAIM = as_json(judged_claim(statement="A beats B|C.", source="Table 1", paper="stl", verdict="supported"))
CLAIM |= {"effect": 0.1234, "low": 0.1, "high": 0.2, "single_seed": True}


@pytest.fixture
def results(root) -> dict:
    stl = project(root, papers=["stl"])
    qqp = {
        "title": "Pairs",
        "source": "generated",
        "rows": {"dev": 1300},
        "read": {"dev": 2000},
        "recipe": digests.of_corpus(stl, "qqp"),
    }
    return deepcopy(EMPTY) | {
        "version": "1.2.3",
        "training": EMPTY["training"] | {"precision": ["bf16"]},
        "papers": {"stl": {"title": "A title", "authors": ""}},
        "datasets": {"qqp": qqp},
        "encoders": {"bert": {"title": "BERT", "source": "shipped", **UNPINNED, "stands_in_for": ["sbert"]}},
        "recipes": {f"stl/{run}": digests.of_run(stl, "stl", run) for run in ("bert-qqp", "word2vec")},
        "runs": [RUN],
        "tables": [
            {"paper": "stl", "name": name, "caption": "A caption", "source": "Table 1", "numbers": []}
            for name in stl.papers["stl"].tables
        ],
        "claims": [
            {**CLAIM, "claim": name, "definition": claim.definition}
            | (
                {"verdict": Verdict.NOT_TRAINED, "by_itself": Verdict.NOT_TRAINED, "not_trained": ["x"]}
                if number
                else {}
            )
            for number, (name, claim) in enumerate(stl.papers["stl"].claims.items())
        ],
    }


def published_as(results) -> Published:
    return Published(typed(Results, results))


def page(results, outdated=()) -> str:
    published = published_as(results)
    return readme(published.results, outdated, published.extended(), published.figures(), published.main_claims())


def test_the_readme_has_the_numbers_of_the_results(results):
    text = page(results, published_as(results).outdated())
    assert "Made by an older recipe" not in text
    assert "| semblance | 1.2.3, commit `abc` |" in text
    assert "'papers=[stl]' 'seeds=[1]'" in text
    assert "| training | 1.5 core-hours; 0.7 claims decided per core-hour |" in text
    assert "within each paper. Decided verdicts that rest on one seed: 1 of 1.\n" in text
    assert "precision=bf16" in text and "Where one encoder [stands in](#data-and-encoders) for another" in text
    assert "| qqp | Pairs | generated | dev 1,300 of 2,000 |" in text and "| bert | BERT | shipped | sbert |" in text
    claims = len([one for one in results["claims"] if not METRICS[one["metric"]].is_timed])
    row = "| [stl](#stl) | 1 | 1 | 0 | 0 |"
    assert f"{row} {claims} | 1 | 0 | {claims - 1} |" in text
    results["claims"][0]["verdict"] = "inconclusive"
    open_now = page(results)
    assert f"{row} {claims} | 0 | 0 | {claims} |" in open_now and "; 0.0 claims decided per core-hour" in open_now
    assert "Of the inconclusive ones, 1 are supported or refuted by their intervals alone." in open_now
    results["training"]["device"] = ["cpu", "A GPU"]
    assert "| training | 1.5 core-hours of the CPU, beside the GPU |" in page(results)
    first = next(iter(published_as(results).project.papers["stl"].claims.values()))
    assert f"| {first.statement} | {first.source} | **supported** | +0.123 [+0.100, +0.200] f1 |" in text
    assert "\n- [Table 1: A caption](tables/stl-table1.md)\n" in text and "Figures:" not in text


@pytest.mark.parametrize(
    ("trained_in", "used"),
    [([], "auto"), (["fp32"], "fp32"), (["bf16"], "bf16"), (["bf16 and fp32", "fp32"], "bf16")],
)
def test_the_command_names_the_precision_of_the_trainings(results, trained_in, used):
    """Runs whose recipe asks for fp32 are in fp32 with the setting bf16, too."""
    results["training"]["precision"] = trained_in
    assert f"precision={used}\n" in page(results)


def test_the_main_claims_come_first_after_their_question(results):
    headline = published_as(results).project.papers["stl"].headline
    text = page(results)
    first = text[text.index("## Main claims") : text.index("## All claims")]
    of = len(headline.claims)
    answer = f"**Open: of {of} main claims, {of} inconclusive.**"
    assert f"\n{headline.question} {answer}\n\n| claim of [stl](#stl) |" in first
    assert first.count("\n| ") == 1 + len(headline.claims)


def test_claims_that_are_not_decided_are_counted_and_linked(results):
    text = page(results)
    decided, _, others = text[text.index("\n## stl") :].partition(
        "claims are inconclusive: [all claims](claims/stl.md)."
    )
    assert decided.count("\n| ") == 2 and "| **supported** |" in decided  # a heading and a claim
    assert decided.split()[-1] == str(len(results["claims"]) - 1) and others
    results["claims"][1]["metric"] = "seconds-per-step"
    assert f"{len(results['claims']) - 2} claims are inconclusive: [all claims]" in page(results)
    results["claims"] = results["claims"][:1]
    assert "inconclusive:" not in page(results)[page(results).index("\n## stl") :]


def test_a_claim_of_one_seed_is_marked_among_those_of_several(results):
    assert "f1, one seed" not in page(results)
    results["settings"]["seeds"] = [1, 2]
    assert "+0.123 [+0.100, +0.200] f1, one seed |" in page(results)


@pytest.mark.parametrize("name", ["stl/bert-qqp", "stl/word2vec", "qqp"])
def test_what_the_configuration_would_make_otherwise_is_named(results, name):
    if name in results["datasets"]:
        results["datasets"][name]["recipe"] = "old"
    else:
        results["recipes"][name] = "old"  # runs that are not trained have recipes too
    assert published_as(results).outdated() == [name]
    assert "Made by an older recipe (commit abc).** The current" in page(results, [name])


def test_of_many_things_that_are_made_otherwise_some_are_named(results):
    assert "\n> a, b, c, d, e, f and 2 more.\n" in page(results, [*"abcdefgh"])


@pytest.mark.parametrize("kind", ["claims", "tables"])
def test_results_without_a_claim_or_table_of_today_are_outdated(results, kind):
    del results[kind][0]
    assert published_as(results).outdated() == [f"{kind} of stl"]


def test_a_claim_that_compares_something_else_now_is_outdated(results):
    first = results["claims"][0]
    assert published_as(results).outdated() == []
    first["definition"] = "another"
    assert published_as(results).outdated() == [f"definitions of claims of stl ({first['claim']})"]


def number(row, column):
    """Return a number of a published table."""
    counted = {"examples": None, "clusters": None, "seeds": 1, "digits": 3, "learned": None, "verdict": None}
    marks = ("undefined", "timed", "threshold_tuned_on_scored_rows", "selected_on_scored_rows", "contradicted")
    values = dict.fromkeys(("value", "low", "high", "published"), 0.5)
    return {"row": row, "column": column, **values, **counted, **dict.fromkeys(marks, False)}


def test_tables_that_gained_rows_or_columns_are_named_and_those_that_lost_some_are_outdated(results):
    [table] = results["tables"] = [one for one in results["tables"] if one["name"] == "table2"]
    cells = published_as(results).project.papers["stl"].table("table2").cells
    table["numbers"] = [number(row, column) for row, of_row in cells.items() for column in of_row]
    found = published_as(results)
    assert found.extended() == [] and "rows or columns" not in page(results)
    table["numbers"][0]["column"] = "Gone"
    found = published_as(results)
    assert found.extended() == ["stl-table2"] and "rows or columns of stl-table2" in found.outdated()
    assert "\nSince then, these tables have got more rows or columns, which are not shown here: stl-table2.\n" in page(
        results
    )


def test_claims_have_todays_words_if_they_compare_the_same(results):
    published = published_as(results)
    paper = published.project.papers["stl"]
    wanted = [paper.claims[name].statement for name in paper.headline.claims]
    assert [claim.statement for claim in published.main_claims()["stl"][1]] == wanted
    sources = {name: claim.source for name, claim in paper.claims.items()}
    assert {claim.claim: claim.source for claim in published.results.claims} == sources
    for claim in results["claims"]:
        claim["definition"] = "another"
    assert {claim.statement for claim in published_as(results).main_claims()["stl"][1]} == {"A beats B|C."}
    assert r"| A beats B\|C. | Table 1 | **supported** | +0.123" in page(results)


def test_a_run_or_dataset_that_is_gone_is_outdated(results):
    results["recipes"]["stl/gone"] = "any"
    results["datasets"]["lost"] = {"title": "Lost", "source": "hub", "recipe": "any", "rows": {}, "read": {}}
    assert published_as(results).outdated() == ["stl/gone", "lost"]


@pytest.fixture
def finished(results, tmp_path, monkeypatch):
    """Finished results of the demo preset in the working directory, at a clean commit."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(publish, "ROOT", tmp_path)
    monkeypatch.setattr(publish, "PUBLISHED", tmp_path / "docs/results")
    monkeypatch.setattr(publish, "commit", lambda: "abc")
    Path("results/demo/tables").mkdir(parents=True)
    for table in ("stl-table1", "stl-old", "minilm-t"):  # the last two are of earlier runs
        Path(f"results/demo/tables/{table}.md").write_text("A table")
    Path("results/demo/figures").mkdir()
    Path("results/demo/figures/stl-f.svg").write_text("A figure")
    made = ("tables/stl-table1.md", "figures/stl-f.svg")
    results["checksums"] = {name: sha256(f"results/demo/{name}") for name in made}
    write_json("results/demo/results.json", results)
    return results


def test_publishing_replaces_what_was_published(finished):
    publish.main("demo")
    old = Path("docs/results/demo/tables/old.md")
    old.write_text("of a table that is gone")
    publish.main("demo")
    assert not old.exists() and Path("docs/results/demo/tables/stl-table1.md").read_text() == "A table"
    assert Path("docs/results/demo/README.md").read_text() == page(finished)
    assert [file.name for file in Path("docs/results/demo/tables").iterdir()] == ["stl-table1.md"]
    assert Path("docs/results/demo/figures/stl-f.svg").read_text() == "A figure"
    assert "| **supported**" in Path("docs/results/demo/claims/stl.md").read_text()
    written = Path("docs/results/demo/recipes.md").read_text()
    assert "## stl" in written and "## minilm" not in written and "| bert-qqp | cross-encoder" in written
    assert "bert-qqp-stsb" not in written  # these results do not have it


def test_published_figures_are_linked_by_their_captions(results):
    [name, figure] = next(iter(published_as(results).project.papers["stl"].figures.items()))
    results["checksums"] = {f"figures/stl-{name}.svg": "", "figures/stl-gone.svg": ""}
    figures = published_as(results).figures()
    assert figures == {"stl": {f"figures/stl-{name}.svg": figure.caption}}
    assert f"\nFigures:\n\n- [{figure.caption}](figures/stl-{name}.svg)\n" in page(results)


def test_figures_that_quote_a_corpus_are_not_published(finished, root, monkeypatch):
    sn3d = {"sn3d": {"title": "A title", "authors": ""}}
    assert published_as(finished | {"papers": sn3d, "claims": []}).quoting() == {"figures/sn3d-figure7.svg"}
    monkeypatch.setattr(Published, "quoting", lambda self: {"figures/stl-f.svg"})
    publish.main("demo")
    folder = Path("docs/results/demo")
    assert not (folder / "figures/stl-f.svg").exists() and (folder / "tables/stl-table1.md").exists()
    assert not list(root.glob("docs/results/*/figures/sn3d-figure7.svg"))


@pytest.mark.parametrize("name", ["tables/stl-table1.md", "figures/stl-f.svg"])
def test_a_file_that_was_made_after_the_results_is_not_published(finished, name):
    Path("results/demo", name).write_text("of another seed")
    with pytest.raises(UserError, match=f"{name}: made after results/demo/results.json"):
        publish.main("demo")


def test_nothing_is_deleted_if_a_file_is_missing(finished):
    publish.main("demo")
    Path("results/demo/tables/stl-table1.md").unlink()
    with pytest.raises(UserError, match="stl-table1.md: made after"):
        publish.main("demo")
    assert Path("docs/results/demo/tables/stl-table1.md").exists()


@pytest.mark.parametrize("name", [".", "/home", "a/b", "../x"])
def test_results_are_published_in_their_folder_alone(finished, name):
    with pytest.raises(UserError, match="names a folder in docs/results"):
        publish.main("demo", name)


def test_publishing_keeps_papers_that_the_results_lack(finished):
    publish.main("demo")
    more = {**finished["papers"], "minilm": {"title": "Another title", "authors": ""}}
    write_json("docs/results/demo/results.json", {**finished, "papers": more})
    with pytest.raises(UserError, match="demo also has minilm, which results/demo lacks: .*another name"):
        publish.main("demo")
    publish.main("demo", "demo-stl")
    assert read_json("docs/results/demo-stl/results.json") == finished


@pytest.mark.parametrize(
    ("current", "change", "message"),
    [
        ("abc-dirty", {}, "without uncommitted changes"),
        ("unknown", {}, "from a git checkout"),
        ("new", {}, "exported by commit abc, not new"),
        ("abc", {"recipes": {"stl/bert-qqp": "old"}}, "would make these otherwise: stl/bert-qqp"),
    ],
)
def test_results_of_another_commit_or_configuration_are_not_published(finished, monkeypatch, current, change, message):
    monkeypatch.setattr(publish, "commit", lambda: current)
    write_json("results/demo/results.json", {**finished, **change})
    with pytest.raises(UserError, match=message):
        publish.main("demo")
    assert not Path("docs/results").exists()


@pytest.fixture(scope="module")
def published(root) -> dict[Path, Published]:
    files = sorted(root.glob("docs/results/*/results.json"))
    assert files
    return {file.parent: Published(read_results(file)) for file in files}


def test_published_readmes_are_those_of_their_results(published):
    """If this fails, run `python workflow/scripts/publish.py`, which generates them again."""
    for folder, found in published.items():
        for page, text in publish.described(found).items():
            assert (folder / page).read_text(encoding="utf-8") == text, folder / page


def test_pages_about_all_published_results_are_those_of_the_results(root, published):
    for page, text in publish.shared({folder.name: found for folder, found in published.items()}).items():
        assert (root / "docs/results" / page).read_text(encoding="utf-8") == text, page


def test_published_pictures_of_claims_are_of_the_published_results(root, published, monkeypatch, tmp_path):
    monkeypatch.setattr(publish, "PUBLISHED", tmp_path)
    for folder in published:
        (tmp_path / folder.name / "figures").mkdir(parents=True)
    publish.draw({folder.name: found for folder, found in published.items()})
    drawn = sorted(tmp_path.rglob("*.svg"))
    assert len(drawn) == len(published) + 1
    for file in drawn:
        assert file.read_bytes() == (root / "docs/results" / file.relative_to(tmp_path)).read_bytes(), file


def test_published_results_are_of_the_schema(root, published):
    validate = jsonschema.Draft202012Validator(read_yaml(root / "config/schema/results.yaml")).validate
    for folder, found in published.items():
        validate(read_json(folder / "results.json"))
        validate(as_json(found.results))
