"""Figures show the numbers they are given: lines, marks, intervals, labels."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest

from claimed import judged_claim, judgement
from measured import make_cell, make_table, written
from semblance.config import tables
from semblance.curve import ENDS, Curve
from semblance.evaluation import figures as measurement
from semblance.evaluation.figures import measured
from semblance.evaluation.predictions import Predictions
from semblance.evaluation.watched import Evaluation
from semblance.registry import FIGURES
from semblance.reporting import figures
from semblance.reporting.figures import overview
from semblance.specs.cells import FigureSpec
from semblance.vocabulary import Verdict


def test_every_kind_of_figure_is_drawn_and_measured():
    assert figures.KINDS.keys() == FIGURES.keys()
    assert all(callable(getattr(measurement, kind.data)) for kind in FIGURES.values())


def draw(spec, files=(), evidence=None):
    """Return a figure as it is measured and drawn."""
    return figures.KINDS[spec.kind](spec, measured(spec, files, evidence))


@pytest.fixture
def evidence(tmp_path):
    """Runs named by their number of seeds."""

    class Evidence:
        def curves(self, run):
            return [_curve(tmp_path / f"{run}-{seed}.csv", seed) for seed in range(int(run))]

        def learned(self, run):
            return [judgement("no" if run == "3" else "yes")] * int(run)

    yield Evidence()
    plt.close("all")


def _curve(path, seed):
    curve = Curve(path)
    for step in (1, 2):
        curve.add("1. qqp", step, step, "loss", 1 / (step + seed))
        curve.add("1. qqp", step, step, "dev f1", 0.1 * (step + seed))
    curve.add(ENDS, 1, 1, "overall", 0.5 + 0.1 * seed)
    return path


def _bands(axis):
    """Return the lowest and highest values of each band of seeds, at the first step."""
    firsts = [[y for x, y in band.get_paths()[0].vertices if x == 1] for band in axis.collections]
    return [(min(values), max(values)) for values in firsts]


def test_several_seeds_are_their_mean_with_a_band(evidence):
    figure = draw(FigureSpec("training-curves", "c", runs=("1", "3")), [], evidence)
    one, three, *scores = [axis for axis in figure.axes if axis.get_visible()]
    assert [len(axis.lines) for axis in (one, three, *scores)] == [1, 1, 1, 1]
    assert (one.get_title(), three.get_title()) == ("1", "3 (3 seeds, did not learn with some)")
    means = [(1 + 1 / 2 + 1 / 3) / 3, (1 / 2 + 1 / 3 + 1 / 4) / 3]
    assert list(three.lines[0].get_ydata()) == pytest.approx(means, abs=1e-6)
    assert _bands(one) == [] and _bands(three) == [pytest.approx((1 / 3, 1), abs=1e-6)]


def test_seeds_that_stop_early_leave_the_mean_to_the_others(tmp_path):
    class Stopped:
        def curves(self, run):
            files = [_curve(tmp_path / f"{seed}.csv", seed) for seed in range(2)]
            files[1].write_text("".join(line for line in files[1].read_text().splitlines(True) if ",2," not in line))
            return files

        def learned(self, run):
            return [judgement("yes")] * 2

    figure = draw(FigureSpec("training-curves", "c", runs=("r",)), [], Stopped())
    [line] = figure.axes[0].lines
    assert list(line.get_xdata()) == [1, 2]
    assert list(line.get_ydata()) == pytest.approx([(1 + 1 / 2) / 2, 1 / 2], abs=1e-6)


def test_the_task_has_the_loss_without_the_penalty(tmp_path):
    class Smart:
        def curves(self, run):
            curve = Curve(tmp_path / f"{run}.csv")
            parts = {"loss": 2.0, "smart penalty": 0.5, "smart smoothness": 1e-9, "smart proximity": 0.25}
            for name, value in parts.items() if run == "smart" else {"loss": 1.0}.items():
                curve.add("1. qqp", 1, 1, name, value)
            return [tmp_path / f"{run}.csv"]

        def learned(self, run):
            return [judgement("yes")]

    figure = draw(FigureSpec("loss-parts", "c", runs=("plain", "smart")), [], Smart())
    task, smoothness, proximity = figure.axes
    assert [line.get_ydata()[0] for line in task.lines] == [1.0, 1.5]
    assert [line.get_ydata()[0] for axis in (smoothness, proximity) for line in axis.lines] == [1e-9, 0.25]
    assert smoothness.get_yscale() == "log" and smoothness.lines[0].get_label() == "smart"
    figure.canvas.draw()
    assert "1e−09" in [label.get_text() for label in smoothness.get_yticklabels()]


@pytest.mark.parametrize(
    ("kind", "name", "first"), [("scores-by-epoch", "dev f1", 0.1), ("scores-by-stage", "overall", 0.5)]
)
def test_a_series_of_several_seeds_is_named_once(kind, name, first, evidence):
    figure = draw(FigureSpec(kind, "c", runs=("2",)), [], evidence)
    [axis] = figure.axes
    [line] = axis.lines
    assert (line.get_label(), line.get_ydata()[0]) == (name, pytest.approx(first + 0.05))
    assert _bands(axis) == [pytest.approx((first, first + 0.1))]
    [legend] = [*figure.legends, *filter(None, [axis.get_legend()])]
    assert [text.get_text() for text in legend.get_texts()] == [name]


@pytest.fixture
def table(tmp_path):
    """Write a table of two rows and two columns with the values 0.1 to 0.4; return its path in a list."""

    def of(value, learned="yes"):
        return make_cell(value=value, low=value - 0.05, high=value + 0.05, published=value + 0.01, learned=learned)

    rows = {"p: one, first": [of(0.1), of(0.4)], "q: two": [of(0.2, "collapsed"), of(0.3)]}
    yield [written(tmp_path, replace(make_table(**rows), columns=("A", "B")))]
    plt.close("all")


def _texts(labels):
    return [label.get_text() for label in labels]


def _points(axis, hollow=False):
    """Return x, y and marker of all points that have a marker, or of the hollow ones."""
    return [
        (pytest.approx(x), pytest.approx(y), line.get_marker())
        for line in axis.lines
        if line.get_marker() not in ("None", "", None) and (not hollow or line.get_markerfacecolor() == "none")
        for x, y in zip(line.get_xdata(), line.get_ydata())
    ]


def _spans(axis):
    """Return the ends of all lines of two points, which are intervals."""
    return [tuple(map(float, line.get_xdata())) for line in axis.lines if len(line.get_xdata()) == 2]


def test_a_heatmap_prints_each_number_darkest_where_it_is_the_highest_of_its_column(table):
    [axis] = draw(FigureSpec("table-heatmap", "c"), table).axes
    assert _texts(axis.texts) == ["0.100", "0.400", "0.200⊘", "0.300"]
    assert axis.get_xlabel() == "⊘ collapsed"
    shades = axis.images[0].get_array()
    assert shades[1, 0] > shades[0, 0] and shades[0, 1] > shades[1, 1]
    assert _texts(axis.get_xticklabels()) == ["A", "B"] and _texts(axis.get_yticklabels())[1] == "q: two"


def test_dots_have_their_intervals_and_each_column_its_mark(table):
    figure = draw(FigureSpec("table-dots", "c", quantity="accuracy"), table)
    [axis] = figure.axes
    assert [point[0] for point in _points(axis)] == [0.1, 0.2, 0.4, 0.3]
    assert [round(float(line.get_ydata()[0])) for line in axis.lines if line.get_marker() in "os"] == [
        1,
        0,
        1,
        0,
    ]  # in the order of the labels below
    assert [mark for *_, mark in _points(axis)] == ["o", "o", "s", "s"]
    assert _spans(axis)[0] == pytest.approx((0.05, 0.15))
    assert _texts(axis.get_yticklabels()) == ["q: two", "p: one, first"]  # the first row on top
    assert _texts(figure.legends[0].get_texts()) == ["A", "B", "hollow: did not learn, or no clear gain"]
    assert [point[0] for point in _points(axis, hollow=True)] == [0.2]


def test_panels_have_a_column_each(table):
    one, two = draw(FigureSpec("table-panels", "c", quantity="F1"), table).axes
    assert (one.get_title(), two.get_title(), one.get_xlabel()) == ("A", "B", "F1")
    assert [point[:2] for point in _points(one)] == [(0.1, 1), (0.2, 0)]
    assert _spans(two)[0] == pytest.approx((0.35, 0.45))


def test_a_spread_has_each_rows_values_and_their_mean(table):
    [axis] = draw(FigureSpec("table-spread", "c", quantity="accuracy"), table).axes
    assert [point[1] for point in _points(axis)] == [0.1, 0.2, 0.4, 0.3]
    means = [line.get_ydata()[0] for line in axis.lines if line.get_color() == "0.2"]
    assert means == pytest.approx([0.25, 0.25]) and axis.get_ylabel() == "accuracy"


def test_undefined_values_are_left_out(table):
    found = json.loads(Path(table[0]).read_text())
    found["rows"][0]["cells"][1] |= {"value": None, "low": None, "high": None}
    Path(table[0]).write_text(json.dumps(found))
    [axis] = draw(FigureSpec("table-spread", "c", quantity="accuracy"), table).axes
    assert [line.get_ydata()[0] for line in axis.lines if line.get_color() == "0.2"] == pytest.approx([0.1, 0.25])
    figure = draw(FigureSpec("table-pareto", "c", cost="A", qualities=("B",)), table)
    assert len(_points(figure.axes[0])) == 1
    draw(FigureSpec("table-dots", "c", quantity="accuracy"), table).draw_without_rendering()
    draw(FigureSpec("table-panels", "c", quantity="accuracy"), table).draw_without_rendering()


def test_the_pareto_front_is_numbered_and_named(table):
    figure = draw(FigureSpec("table-pareto", "c", cost="A", qualities=("B",)), table)
    axis = next(axis for axis in figure.axes if axis.get_visible())
    assert [point[:2] for point in _points(axis)] == [(0.1, 0.4), (0.2, 0.3)]
    assert _texts(axis.get_legend().get_texts()) == ["1  one, first"]  # the other costs more and is worse
    assert _texts(figure.legends[0].get_texts()) == ["p", "q"] and axis.get_xscale() == "log"


def test_metrics_by_step_are_computed_at_each_evaluation_and_published_ones_are_hollow(tmp_path):
    targets = np.array([0.0, 1.0])

    def evaluation(step, scores):
        return Evaluation(
            step, step / 10, Predictions(np.array(["a", "b"]), targets, np.array(scores), np.array([None, None]))
        )

    class Watched:
        def evaluations(self, run, on):
            return [[evaluation(10, [0.9, 0.1]), evaluation(20, [0.1, 0.9])]]

        def evaluations_near(self, run, on, epoch):
            return [one for one in self.evaluations(run, on)[0] if one.epoch == epoch]

        def predictions(self, run, on, epoch):
            return [one.predictions for one in self.evaluations_near(run, on, epoch)]

        def curves(self, run):
            return ["curve"]

        def learned(self, run):
            return [judgement("no", top_share=1.0)]

    cells = [make_cell(published=1.0), make_cell(published=0.8)]
    printed = written(tmp_path, replace(make_table(r=cells), columns=("Epoch", "Accuracy")))
    spec = {"run": "r", "metrics": {"Accuracy": "accuracy"}, "panels": {"dev": {"on": "a/dev", "threshold": 0.5}}}
    figure = draw(tables.figure({"kind": "metrics-by-step", "caption": "c", **spec}, "here"), [printed], Watched())
    ours, published = figure.axes[0].lines[:2]
    assert list(ours.get_xdata()) == [1, 2] and list(ours.get_ydata()) == [0, 1]
    assert (list(published.get_xdata()), list(published.get_ydata())) == ([1.0], [0.8])
    assert published.get_markerfacecolor() == "none"
    assert figure.axes[0].get_xlabel() == "epoch\ndev\ncollapsed" and not figure.axes[0].collections
    figure.draw_without_rendering()
    [above] = figure.axes[0].child_axes
    assert above.get_xlim() == pytest.approx([10 * end for end in figure.axes[0].get_xlim()])  # steps of ten an epoch

    class TwoSeeds(Watched):
        def evaluations(self, run, on):
            return [*super().evaluations(run, on), [evaluation(10, [0.1, 0.9]), evaluation(20, [0.1, 0.9])]]

        def evaluations_near(self, run, on, epoch):
            return [one for seed in self.evaluations(run, on) for one in seed if one.epoch == epoch]

        def curves(self, run):
            return ["curve"] * 2

    [axis] = draw(tables.figure({"kind": "metrics-by-step", "caption": "c", **spec}, "here"), [], TwoSeeds()).axes
    assert list(axis.lines[0].get_ydata()) == [0.5, 1] and _bands(axis) == [(0, 1)]
    assert axis.get_xlabel() == "epoch\ndev\nmean and range of 2 seeds\ncollapsed with some"
    plt.close("all")


def test_matrices_are_labelled_by_their_tokens(tmp_path):
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps([{"id": "7", "tokens": [["a", "b"], ["c"]], "matrices": [[[0.1], [0.9]]]}]))
    axis = draw(FigureSpec("similarity-matrices", "c", titles=("SA",)), [str(path)]).axes[0]
    assert axis.images[0].get_array().tolist() == [[0.1], [0.9]] and axis.get_title() == "SA, 7"
    assert _texts(axis.get_yticklabels()) == ["a", "b"] and _texts(axis.get_xticklabels()) == ["c"]
    plt.close("all")


def test_a_figure_is_written_as_both_formats_and_is_the_same_each_time(table, tmp_path):
    written = []
    for number in range(2):
        outputs = SimpleNamespace(svg=str(tmp_path / f"{number}.svg"), png=str(tmp_path / f"{number}.png"))
        spec = FigureSpec("table-dots", "c")
        figures.draw(spec, measured(spec, table, None), outputs)
        written.append([(tmp_path / f"{number}.{kind}").read_bytes() for kind in ("svg", "png")])
    assert written[0] == written[1] and b"p: one, first" in written[0][0]


def test_claims_are_drawn_with_their_intervals_by_verdict():
    def claim(verdict, effect, low=0.0, unit=None):
        return judged_claim(verdict=verdict, effect=effect, low=low, high=0.2, unit=unit)

    first = [claim("supported", 0.1), claim("refuted", -0.5, -0.6), claim("inconclusive", 0.0)]
    first += [claim(Verdict.NOT_TRAINED, 0.1), claim("supported", 0.1, -0.4)]
    undrawn = [claim("supported", 0.1, None), claim("supported", 0.1, unit="relative")]  # no interval, no score
    figure = overview.effects([("p", one) for one in first] + [("q", one) for one in undrawn])
    [panel] = figure.axes
    assert _texts(panel.get_yticklabels()) == ["p", *["A beats B. [f1]"] * 5]
    drawn = panel.lines[1:12]  # after the line at zero, before those of the legend
    bars, marks = [[line for line in drawn if (line.get_marker() == "None") == is_bar] for is_bar in (True, False)]
    assert [list(line.get_xdata()) for line in bars] == [[0.0, 0.2], [-0.3, 0.2], [0.0, 0.2], [0.0, 0.2], [-0.3, 0.2]]
    assert [line.get_marker() for line in marks] == [
        "o",
        "<",
        "o",
        "x",
        "o",
        "<",
    ]  # the second effect is beyond the axis
    assert [line.get_markerfacecolor() == "white" for line in marks] == [False, False, True, False, False, False]
    assert marks[1].get_markersize() > marks[5].get_markersize()  # which is at the end of an interval alone
    assert _texts(figure.legends[0].get_texts()) == ["supported", "refuted", "inconclusive", "cannot be judged"]
    assert overview.effects([]).axes


def test_claims_are_drawn_under_headings_with_their_statements_and_what_weakens_them():
    claim = judged_claim(verdict="supported", effect=0.1, low=0.05, high=0.4)
    claims = [claim, replace(claim, single_seed=True, verdict="inconclusive")]
    claims.append(replace(claim, verdict="inconclusive", by_itself="inconclusive"))
    claims.append(replace(claim, low=None, high=None))  # without an interval it cannot be drawn
    named = [("p (demo)", one) for one in claims] + [("p (longer)", claims[2])]
    [axis] = overview.effects(named).axes
    labels = [label.get_text() for label in axis.get_yticklabels()]
    assert labels == [
        "p (demo)",
        *(f"A beats B.{notes}" for notes in (" [f1]", " [f1, one seed]", " [f1]")),
        "p (longer)",
        "A beats B. [f1]",
    ]
    weights = ["bold", "normal", "normal", "normal", "bold", "normal"]
    assert [label.get_fontweight() for label in axis.get_yticklabels()] == weights
    assert [line.get_marker() for line in axis.lines].count(">") == 4
    marks = [line for line in axis.lines if line.get_marker() == "o" and len(line.get_xdata())]
    assert [line.get_markerfacecolor() == "white" for line in marks] == [
        False,
        True,
        True,
        True,
    ]  # one not at FDR, two open


def test_published_scores_are_drawn_beside_measured_ones_on_one_scale():
    def of(value, published, verdict, one=1.0, low=0.1):
        return make_cell(value=value, low=low, high=value, published=published, verdict=verdict, score_of_one=one)

    shares = [of(0.5, 0.6, "differs"), of(0.5, None, None), of(0.5, 0.6, "differs", low=None)]
    percents = [of(80.0, 90.0, "not comparable: other data", 100.0), of(3.0, 4.0, "differs", None)]
    [axis] = overview.scatter([make_table(a=shares), replace(make_table(a=percents), paper="q")]).axes
    points = [line for line in axis.lines if line.get_marker() != "None" and len(line.get_xdata())]
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in points] == [(0.6, 0.5), (0.9, 0.8)]
    assert [line.get_markerfacecolor() == "none" for line in points] == [False, True]
    assert axis.get_xlim() == axis.get_ylim() == pytest.approx((0.45, 0.95))  # no room for scores that nothing has
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["p (1)", "q (1)"]
    assert overview.scatter([]).axes[0].get_legend() is None


def test_a_penalty_of_one_stage_leaves_the_loss_of_the_others(tmp_path):
    lines = ["step,epoch,series,value,stage", "10,1,loss,0.9,1", "20,2,loss,0.8,1", "10,1,loss,0.7,2"]
    lines += ["10,1,smart penalty,0.2,2"]
    (tmp_path / "curve.csv").write_text("\n".join(lines) + "\n")
    found = measurement.series(tmp_path / "curve.csv")
    assert found[measurement.TASK]["value"].tolist() == pytest.approx([0.9, 0.8, 0.5])
    assert found[measurement.TASK]["step"].tolist() == [10, 20, 30]
