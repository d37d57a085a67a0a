"""Two results are compared number by number and claim by claim."""

import re

import pytest

from claimed import judged_claim
from measured import EMPTY, NUMBER, as_json
from semblance.errors import UserError
from semblance.evaluation.differences import between
from semblance.files import write_json
from semblance.reporting.differences import markdown
from semblance.results import Results, read_results
from semblance.specs.typed import typed


def results(**numbers):
    """Return results with one table, whose rows have the given values and intervals, and one claim."""
    cells = [
        NUMBER | {"row": row, "value": value, "low": low, "high": high, "digits": 2, "timed": row == "timed"}
        for row, (value, low, high) in numbers.items()
    ]
    table = {"paper": "p", "name": "t", "caption": "c", "source": "s", "numbers": cells}
    qqp = {"title": "QQP", "source": "hub", "recipe": "r", "rows": {"dev": 9}, "read": {"dev": 9}}
    return EMPTY | {"datasets": {"qqp": qqp}, "tables": [table], "claims": [claim("supported")]}


def claim(verdict):
    return as_json(judged_claim(paper="p", effect=0.1, low=0.05, high=0.15, verdict=verdict))


def compared(one, two, names=("one", "two")):
    return markdown(between(typed(Results, one), typed(Results, two)), names)


def test_numbers_differ_if_their_intervals_do_not_overlap():
    one = results(same=(0.5, 0.4, 0.6), apart=(0.5, 0.4, 0.6), touching=(0.5, 0.4, 0.6), exact=(3, None, None))
    two = results(same=(0.55, 0.45, 0.65), apart=(0.8, 0.7, 0.9), touching=(0.7, 0.6, 0.8), exact=(4, None, None))
    page = compared(one, two)
    assert "4 of 4 numbers are not equal; 2 differ so much" in page and "the same settings" in page
    assert [name for name in ("same", "apart", "touching", "exact") if f"· {name} ·" in page] == ["apart", "exact"]
    assert "another verdict: 0" in page and "Only in" not in page


def test_a_number_without_interval_differs_only_by_what_is_shown_of_it():
    assert "; 0 differ" in compared(results(r=(0.501, None, None)), results(r=(0.502, None, None)))
    assert "; 1 differ" in compared(results(r=(None, None, None)), results(r=(0.5, 0.4, 0.6)))
    assert "; 0 differ" in compared(results(r=(None, None, None)), results(r=(None, None, None)))
    assert "They share no number" in compared(results(timed=(1, None, None)), results(timed=(2, None, None)))


def test_numbers_are_equal_if_the_same_is_shown_of_them():
    assert "0 of 1 numbers are not equal" in compared(results(r=(0.501, 0.4, 0.6)), results(r=(0.502, 0.4, 0.6)))


def test_other_verdicts_and_what_only_one_has_are_listed():
    one, two = results(r=(0.5, 0.4, 0.6), gone=(0.5, 0.4, 0.6)), results(r=(0.9, 0.8, 1.0), new=(0.5, 0.4, 0.6))
    two["claims"] = [claim("refuted")]
    page = compared(one, two, ("old", "new"))
    assert "# First: old; second: new" in page and "Made with the same settings, machine, rows and encoders." in page
    assert "1 of 1 numbers are not equal; 1 differ so much that their 95% intervals do not overlap" in page
    assert "p · t · r · Acc." in page and "0.50 [0.40, 0.60]" in page and "0.90 [0.80, 1.00]" in page
    assert "Claims with another verdict: 1." in page and "supported, +0.100 [+0.050, +0.150] f1" in page
    assert "Only in old: p · t · gone · Acc." in page and "Only in new: p · t · new · Acc." in page


def test_a_claim_that_compares_something_else_has_no_other_verdict():
    one, two = results(r=(0.5, 0.4, 0.6)), results(r=(0.5, 0.4, 0.6))
    two["claims"] = [claim("refuted") | {"definition": "other"}]
    page = compared(one, two)
    assert "another verdict: 0." in page and "Claims that compare something else: p · c.\n" in page


def test_what_was_not_measured_is_not_called_undefined():
    one, two = results(r=(None, None, None), q=(None, None, None)), results(r=(0.5, 0.4, 0.6), q=(0.5, 0.4, 0.6))
    one["tables"][0]["numbers"][1]["undefined"] = True
    page = compared(one, two)
    assert re.search(r"· r · .*not measured", page) and re.search(r"· q · .*undefined", page)


def test_of_many_places_the_tables_are_named():
    many = {f"row {number}": (0.5, 0.4, 0.6) for number in range(21)}
    one, two = results(**many), results(r=(0.5, 0.4, 0.6))
    one["claims"] = [{**claim("supported"), "claim": "another"}, *one["claims"]]
    page = compared(one, two, ("large", "small"))
    assert "Only in large: claims of p (1), p · t (21)." in page and "Only in small: p · t · r · Acc." in page


def test_other_settings_come_first():
    one, two = results(r=(0.5, 0.4, 0.6)), results(r=(0.5, 0.4, 0.6))
    two["settings"] = two["settings"] | {"seeds": [1, 2]}
    two |= {
        "commit": "def",
        "datasets": {"qqp": {**two["datasets"]["qqp"], "rows": {"dev": 8}}},
        "versions": {"torch": "2", "scipy": "1"},
    }
    page = compared(one, two)
    assert "Made with other settings:" in page and "| commit" in page and "| scipy" in page
    assert re.search(r"rows of qqp +\| dev 9 +\| dev 8", page) and re.search(r"scipy +\| – +\| 1", page)
    assert "[1, 2]" in page
    two = results(r=(0.5, 0.4, 0.6))
    two["training"] = two["training"] | {"device": ["A GPU"], "precision": ["bf16"]}
    page = compared(one, two)
    assert re.search(r"device +\| cpu +\| A GPU", page) and re.search(r"precision +\| fp32 +\| bf16", page)
    assert "0 of 1 numbers are not equal" in page


def test_results_of_a_later_version_are_read_and_what_lacks_something_is_refused(tmp_path):
    content, file = results(r=(0.5, 0.4, 0.6)), tmp_path / "results.json"
    write_json(file, {**content, "later": {}, "claims": [{**claim("refuted"), "new": 1}]})
    assert "another verdict: 1" in markdown(between(typed(Results, content), read_results(file)), ("one", "two"))
    del content["claims"][0]["spread"]
    write_json(file, content)
    with pytest.raises(UserError, match=r"commit abc made .*, with another version of .* \(JudgedClaim lacks spread\)"):
        read_results(file)


@pytest.mark.parametrize("content", [[], 5, {}, {"preset": "demo"}])
def test_another_json_file_is_refused(tmp_path, content):
    write_json(tmp_path / "a.json", content)
    with pytest.raises(UserError, match="a.json is no results.json: name the results.json of a preset"):
        read_results(tmp_path / "a.json")


def test_verdicts_on_times_are_not_compared():
    timed = {"metric": "seconds-per-step", "claim": "quicker"}
    one, two = results(r=(0.5, 0.4, 0.6)), results(r=(0.5, 0.4, 0.6))
    for made, verdict in ((one, "supported"), (two, "refuted")):
        made["claims"] = [claim("supported"), {**claim(verdict), **timed}]
    assert "Claims with another verdict: 0." in compared(one, two)


def test_an_encoder_with_other_weights_is_another_setting():
    one, two = results(r=(0.5, 0.4, 0.6)), results(r=(0.5, 0.4, 0.6))
    encoder = {"title": "BERT", "source": "hub", "repo": None, "revision": None, "stands_in_for": []}
    for made, weights in ((one, "1a"), (two, "2b")):
        made["encoders"] = {"bert": {**encoder, "weights_sha256": weights}}
    assert re.search(r"encoder bert +\| BERT 1a +\| BERT 2b", compared(one, two))
