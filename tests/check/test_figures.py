"""Figures of training curves: a line a seed, named once."""

import matplotlib.pyplot as plt
import pytest

from semblance.reporting.figures import scores_by_epoch, scores_by_stage, training_curves
from semblance.training.curve import ENDS, Curve


@pytest.fixture
def evidence(tmp_path):
    """Runs called by how many seeds they have."""

    class Evidence:
        def curves(self, run):
            return [_curve(tmp_path / f"{run}-{seed}.csv", seed) for seed in range(int(run))]

    yield Evidence()
    plt.close("all")


def _curve(path, seed):
    curve = Curve(path)
    for step in (1, 2):
        curve.add("1. qqp", step, step, "loss", 1 / (step + seed))
        curve.add("1. qqp", step, step, "dev f1", 0.1 * (step + seed))
    curve.add(ENDS, 1, 1, "overall", 0.5 + 0.1 * seed)
    curve.close()
    return path


def _drawn(axis):
    return [(line.get_label(), list(line.get_ydata()), line.get_alpha()) for line in axis.lines]


def test_every_seed_has_its_line_and_all_share_the_axes(evidence):
    figure = training_curves({"runs": ["1", "3"]}, [], evidence)
    one, three, *scores = [axis for axis in figure.axes if axis.get_visible()]
    assert [len(axis.lines) for axis in (one, three, *scores)] == [1, 3, 1, 3]
    assert (one.get_title(), three.get_title()) == ("1", "3 (3 seeds)")
    assert [values for _, values, _ in _drawn(three)] == [[1, 0.5], [0.5, 0.333333], [0.333333, 0.25]]
    assert one.lines[0].get_alpha() == 1 > three.lines[0].get_alpha()


@pytest.mark.parametrize(
    ("draw", "name", "first"), [(scores_by_epoch, "dev f1", 0.1), (scores_by_stage, "overall", 0.5)]
)
def test_a_series_of_several_seeds_is_named_once(draw, name, first, evidence):
    figure = draw({"runs": ["2"]}, [], evidence)
    [axis] = figure.axes
    assert [(label, values[0]) for label, values, _ in _drawn(axis)] == [
        (name, pytest.approx(first)),
        (name, pytest.approx(first + 0.1)),
    ]
    [legend] = [*figure.legends, *filter(None, [axis.get_legend()])]
    assert [text.get_text() for text in legend.get_texts()] == [name]
