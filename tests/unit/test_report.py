"""The report: its summary, and in a real browser sorting, accessibility, escaping and no downloads."""

import json
from dataclasses import replace
from functools import partial

import pytest

from browser import accessibility_problems, found_by, needs_chromium
from claimed import judged_claim, judgement
from measured import as_json, make_cell, make_table, written
from semblance.contradictions import Check
from semblance.findings import Answer, ErrorCounts, JudgedClaims, ListedExample, MeasuredList, Outcome
from semblance.reporting import report
from semblance.reporting.notes import ONE_SEED_NOTE
from semblance.reporting.report import forest
from semblance.specs.content import Content
from semblance.specs.typed import typed

WRONG = Check("mean", 0.8, gives=0.75, holds=False)
ATTACK = "<script>document.title = 'attacked'</script><img src=x onerror=\"document.title = 'attacked'\">"


@pytest.fixture
def page(tmp_path):
    def kept(name, content):
        (tmp_path / name).write_text(json.dumps(content))
        return str(tmp_path / name)

    reproduced = partial(make_cell, low=0.7, high=0.9, published=0.8, verdict="reproduced", single_seed=True)
    undefined = make_cell(value=None, low=None, high=None, missing="undefined", verdict="undefined")
    cells = {
        "small": [reproduced(value=0.8, runs=("r",)), reproduced(value=0.1, verdict="differs", contradicted=WRONG)],
        "large": [reproduced(value=0.9, verdict="near"), reproduced(value=1234.5)],
        "undefined": [undefined] * 2,
    }
    table = replace(make_table(**cells), columns=("Acc.", "Note & more"), source="Table 1", caption="A caption")
    claim = partial(judged_claim, better=("r", "q/other"), than=(), effect=0.2, low=0.1, high=0.3, seeds=2, paper="p")
    each = (Outcome(0.2, 0.1, 0.3, "supported"),) * 2
    doubted = "Table 2 says otherwise"
    claims = [
        claim(claim="whole", verdict="supported", each_seed=each),
        claim(claim="a-part", part_of="whole", contradicted=doubted, examples=9, clusters=9, examples_needed=1200),
    ]
    claims[1] = replace(claims[1], single_seed=True)
    of_bert = {"BERT": Answer(0.7, right=False)}
    listed = MeasuredList(
        caption="Errors",
        source="Section 2",
        note="",
        worst=1,
        seeds=1,
        same=1,
        different=1,
        runs={"BERT": ErrorCounts(0.5, missed=1, accepted=1, missed_share=1.0, accepted_share=1.0)},
        rows=(
            ListedExample("1", None, ATTACK, "مرحبا 🙂", True, of_bert),
            ListedExample("2", "modal", "She may go.", "She must go.", False, of_bert),
        ),
        paper="p",
        name="e",
        about="",
    )
    wrong = {"paper": "p", "source": "Table 1", "row": "small", "column": "Note & more", "digits": 3, "check": "mean"}
    audited = {"checks": {"mean": 2}, "failed": [wrong | {"printed": 0.8, "gives": 0.75, "out_of": None}]}
    stage = {"on": "d", "objective": "cross-entropy", "recipe": {"epochs": 1, "batch_size": 8, "learning_rate": 0.1}}
    facts = {
        "spec": {"model": {"kind": "cross-encoder", "encoder": "roberta"}, "stages": [stage]},
        "seed": 1,
        "parameters": 10,
        "seconds": 1.5,
    }
    facts |= {"peak_memory_mb": 100, "device": "cpu", "precision": "fp32"}
    fields = ("on", "training_rows", "objective", "optimizer", "schedule", "epochs", "steps_per_epoch", "batch_size")
    of_stage = {key: {"value": key, "set_by": "paper"} for key in (*fields, "frozen_epochs", "precision")}
    of_stage |= {"learning_rate": {"value": 0.5, "set_by": "preset"}}
    of_stage["objective"]["value"] = "cross-entropy"
    recipe = {
        "settings": {"seeds": {"value": [1], "set_by": "preset"}},
        "model": {"kind": {"value": "cross-encoder", "set_by": "paper"}},
        "stages": [{"settings": of_stage, "regularizers": {}}],
    }
    (tmp_path / "recipes.yaml").write_text(json.dumps({"p": {"r": recipe}}))
    (tmp_path / "deviations.md").write_text(
        "# D\n\n## p: a paper\n\n| a | b |\n|---|---|\n| said <b>x</b> | [done](findings.md#p), [x](https://a.b) |\n"
    )
    (tmp_path / "figure.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"><rect id="one"/></svg>')
    paper = {
        "name": "p",
        "title": "A paper",
        "authors": "Someone",
        "url": None,
        "tables": [written(tmp_path, table, "t")],
        "claims": [written(tmp_path, JudgedClaims("p", "", tuple(claims)), "c")],
        "lists": [written(tmp_path, listed, "e")],
    }
    paper |= {"figures": [{"caption": "A figure", "reading": "Read it so.", "svg": str(tmp_path / "figure.svg")}]}
    learned = judgement("yes", on="d/test", metric="roc-auc", value=0.8123, start=0.4, train=0.9)
    paper |= {"learned": {"r": kept("learned.json", {"r": [as_json(learned)]})}}
    paper |= {
        "headline": {
            "question": "Is A better?",
            "claims": ["whole"],
            "measure": "Acc.",
            "table": "t",
            "column": "Acc.",
            "rows": {"Big": {"table": "t", "row": "large", "column": "Acc."}},
        }
    }
    paper |= {"runs": {"r": [kept("f.json", facts)]}}
    split = {"read": 10, "used": 9, "sha256": "ab" * 32}
    sized = {"layers": 2, "width": 128, "parameters": 512_345}
    content = {
        "preset": "demo",
        "about": "Demo: generated.",
        "papers": [paper],
        "audit": kept("a.json", audited),
        "recipes": str(tmp_path / "recipes.yaml"),
        "scatter": str(tmp_path / "figure.svg"),
        "deviations": str(tmp_path / "deviations.md"),
        "settings": {},
        "overview": [],
        "datasets": {
            "made": {
                "facts": kept("made.json", {"dataset": "made", "source": "generated", "splits": {}}),
                "recipe": "r",
                "citation": {"title": "Another corpus", "cite": "Someone 2020", "licence": "CC0"},
            },
            "d": {
                "facts": kept("d.json", {"dataset": "d", "source": "files", "splits": {"train": split, "t": split}}),
                "recipe": "r",
                "citation": {"title": "A corpus", "cite": "Someone 2020", "licence": "CC0"},
            },
        },
        "encoders": {
            "bert": {
                "facts": kept(
                    "b.json", {"title": "BERT", "source": "hub", "repo": "a/b", "revision": "c" * 40} | sized
                ),
                "stands_in_for": ["roberta"],
            }
        },
    }
    report.render(typed(Content, content), str(tmp_path / "report.html"))
    return tmp_path / "report.html"


def test_what_held_up_is_counted_from_claims_numbers_and_the_audit(page):
    text = " ".join(page.read_text().split())
    assert "Of 2 claims, 1 are supported and 0 refuted, at a false discovery rate of 5% within each paper;" in text
    assert "1 are inconclusive, and 0 cannot be judged." in text
    assert '<small><a href="#recipe-p-r">r</a>, q/other</small>' in text
    assert "1 of 1 trained runs learned their task" in text
    assert "<p>Is A better?</p> <p><b>" in text
    assert "<dt>Big</dt>" in text and "<b>0.900</b>" in text
    assert "<b>bert</b> (stands in for roberta): BERT (2 layers × 128, 0.5 million parameters), hub" in text
    assert "<b>d</b>: A corpus (Someone 2020); licence: CC0" in text
    assert "<b>made</b>: generated sentences in the place of Another corpus</li>" in text
    assert "<td>d/test, roc-auc</td><td>0.812</td><td>0.400</td>" in text
    assert "4 measured numbers stand beside a published one: 2 reproduce it, of which none are scores " in text
    assert "A beats B. <small>‡ Table 2 says otherwise</small>" in text
    assert "Single seeds" in text and "<td>supported 2</td>" in text
    assert "✓ supported" in text and "? inconclusive</b> (about 1,200 examples needed, 9 available)" in text
    assert "BERT (threshold 0.5000) misses 1 of 1 (100.0%) equivalent pairs" in text
    assert "<td>no</td><td>✗ 0.700</td>" in text and "<td>None</td>" not in text
    assert "<p>A beats B. This is supported: +0.200 [+0.100, +0.300] f1. By part, it is inconclusive for 1 of 1" in text
    assert text.count(ONE_SEED_NOTE) == 2  # under claims and under the table
    assert '<th scope="row"><a href="#recipe-p-r">small</a></th>' in text and '<th scope="row">large</th>' in text
    assert text.index('id="overview"') < text.index('id="claims"') < text.index("<img")  # words and numbers come first
    assert '<tr id="recipe-p-r">' in text and "<td><strong>0.5</strong></td>" in text
    assert '<td>done, <a href="https://a.b">x</a></td>' in text
    assert "said &lt;b&gt;x&lt;/b&gt;" in text and "abababababab" in text


@needs_chromium
def test_a_click_on_a_columns_name_sorts_by_its_numbers(page, tmp_path):
    order = """
        const table = document.querySelector("[aria-label='p t'] table");
        const names = () => [...table.tBodies[0].rows].map(row => row.cells[0].textContent);
        const [name, , note] = table.tHead.rows[0].cells, found = [names()];
        for (const header of [note, note, name, name]) { header.firstElementChild.click(); found.push(names()); }
        return [...found, name.getAttribute("aria-sort"), note.getAttribute("aria-sort")];
    """
    assert found_by(order, page, tmp_path) == [
        ["small", "large", "undefined"],
        ["large", "small", "undefined"],  # 1,234.5 before 0.1; undefined numbers are last in both orders
        ["small", "large", "undefined"],
        ["large", "small", "undefined"],
        ["undefined", "small", "large"],
        "descending",
        None,
    ]


@needs_chromium
@pytest.mark.parametrize("dark", [False, True])
def test_anyone_can_read_it(page, tmp_path, dark):
    assert accessibility_problems(page, tmp_path, dark) == []
    colour = "return getComputedStyle(document.body).backgroundColor"
    assert found_by(colour, page, tmp_path, dark=dark) == ("rgb(22, 22, 22)" if dark else "rgb(255, 255, 255)")


@needs_chromium
def test_texts_are_shown_as_texts_and_nothing_is_fetched(page, tmp_path):
    script = """
        const fetched = performance.getEntriesByType("resource").map(r => r.name).filter(n => !n.startsWith("data:"));
        return [document.title, fetched, document.body.textContent.includes("<script>document.title")];
    """
    assert found_by(script, page, tmp_path) == ["semblance: demo", [], True]


@needs_chromium
def test_on_a_phone_only_tables_scroll_sideways(page, tmp_path):
    script = "return document.documentElement.scrollWidth <= window.innerWidth"
    assert found_by(script, page, tmp_path, width=500) is True  # the minimum width of Chromium's window


@needs_chromium
def test_claims_are_filtered_by_paper_verdict_and_text(page, tmp_path):
    script = """
        const form = document.querySelector("#filter"), found = [];
        const claims = [...document.querySelectorAll(".forest li[data-verdict]")];
        const steps = [["verdict", "supported"], ["words", "BEATS a"], ["words", "nothing"], ["verdict", ""]];
        for (const [field, value] of steps) {
          form.elements[field].value = value;
          form.dispatchEvent(new Event("input"));
          const visible = claims.filter(claim => claim.offsetParent);
          const rows = [...document.querySelectorAll("[id^=p-claim-]")].filter(row => !row.hidden).length;
          found.push([visible.length, rows, document.querySelector("#matching").textContent]);
        }
        location.hash = "#p-claim-whole";
        await new Promise(done => setTimeout(done, 100));
        const row = document.querySelector(location.hash);
        return [...found, row.hidden, row.closest("details").open, document.querySelector("#matching").textContent];
    """
    none = "No claim has all of these."
    filtered = [[1, 1, "1 claim"], [1, 1, "1 claim"], [0, 0, none], [0, 0, none]]
    assert found_by(script, page, tmp_path) == [*filtered, False, True, "2 claims"]  # a link to a claim shows all


@needs_chromium
def test_a_link_to_a_claim_or_a_recipe_leads_to_it_also_where_it_is_folded(page, tmp_path):
    script = """
        const astray = [...document.querySelectorAll('a[href^="#"]')].filter(a => !document.querySelector(a.hash));
        const recipe = document.querySelector("a[href='#recipe-p-r']");
        const folded = document.querySelector(recipe.hash).closest("details"), before = folded.open;
        location.hash = recipe.hash;
        await new Promise(done => setTimeout(done, 100));
        return [astray.length, before, folded.open];
    """
    assert found_by(script, page, tmp_path) == [0, False, True]


@needs_chromium
def test_a_figure_is_loaded_when_it_comes_into_sight(page, tmp_path):
    """So that text is shown before figures are drawn."""
    script = "return [...document.images].map(image => image.loading)"
    loading = found_by(script, page, tmp_path)
    assert loading and set(loading) == {"lazy"}


@needs_chromium
def test_the_contents_watch_every_section(page, tmp_path):
    """The last statements of the page's script: an error above would have stopped it."""
    script = (
        "return watching instanceof IntersectionObserver && links.size === document.querySelectorAll('nav a').length"
    )
    assert found_by(script, page, tmp_path) is True


@needs_chromium
def test_on_paper_everything_is_unfolded(page, tmp_path):
    script = """
        dispatchEvent(new Event("beforeprint"));
        return [...document.querySelectorAll("details")].every(fold => fold.open);
    """
    assert found_by(script, page, tmp_path) is True


def test_effects_are_placed_on_one_axis_and_end_with_it():
    claim = judged_claim(effect=0.15, low=-0.6, high=0.3, within=0.03)
    assert forest.placed(claim) == {
        "at": 75.0,
        "left": 0.0,
        "right": 100.0,
        "beyond": ["left"],
        "margin": 5.0,
        "zero": 50.0,
    }
    once = forest.placed(replace(claim, unit="relative", low=None, high=None, within=None))
    assert once == {"at": 57.5, "left": 57.5, "right": 57.5, "beyond": [], "margin": 0, "zero": 50.0}
    assert forest.placed(replace(claim, effect=None)) is None
    assert forest.placed(replace(claim, effect=-0.5))["at"] is None  # an arrow shows that it is beyond the axis


def test_numbers_share_an_axis_that_holds_their_intervals():
    cells = {"a": make_cell(value=1.0, low=0.0, high=2.0), "b": make_cell(value=3.0, low=None, high=None)}
    one, two = forest.dots(cells | {"unknown": make_cell(value=None, low=None, high=None)})
    assert (one["label"], one["left"], one["at"]) == ("a", 4.55, 34.85)  # the axis goes from -0.15 to 3.15
    assert two["at"] == two["left"] == two["right"] == 95.45
    assert one["zero"] == two["zero"] == 4.55
    assert [dot["zero"] for dot in forest.dots({"b": cells["b"]})] == [None]
