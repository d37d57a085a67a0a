"""The comparison that a claim makes: effect, confidence interval and verdict, on the same examples and seeds."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from semblance.errors import UserError
from semblance.evaluation import intervals
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.learning import baseline, failed_by_seed
from semblance.evaluation.measurements import machines, repeats
from semblance.evaluation.pairing import single_comparisons
from semblance.evaluation.scored import Scored, best_on, tunes_on_scored_rows
from semblance.findings import Outcome
from semblance.registry import METRICS
from semblance.specs.cells import CellSpec, ClaimSpec
from semblance.vocabulary import Unit, Verdict


@dataclass(frozen=True)
class Comparison:
    """Both sides of a claim, compared.

    A claim about the best or the worst of several, or about all pairs, makes k single comparisons; other claims make
    one. The effect is the smallest of theirs, each the mean over seeds; for a claim of equivalence it is the one
    furthest from 0.

    Attributes:
        claim: the claim.
        metric: the compared metric.
        effects: the effect of each single comparison and seed, shape (k, seeds).
        drawn: the same on resamples, shape (k, seeds, resamples); None for what is not measured on examples.
        examples: number of examples; 0 if it is not measured on any.
        clusters: number of clusters of examples.
        fewest: numbers of examples and clusters of the cell with the fewest clusters, for which intervals are
            corrected; None if these are all.
        single_seed: whether a compared run is random and has one seed.
        selected_on_scored_rows: whether the compared rows also selected an epoch or a stage of a compared run.
        threshold_tuned_on_scored_rows: whether they also tuned a threshold.
        failed: for each seed, compared runs that did not learn, and runs from which they started that are not better
            than the majority baseline.
        not_reached: whether no evaluation during training is near a compared epoch.
        same_scores: whether both sides have the same scores.
        stands_in: whether a side is nothing but untrained stand-ins; see `config.comparable.claims_of_stand_ins`.
        nothing_to_lose: runs that had nothing to lose, of a claim of retention.
        other_machine: whether times or memory were measured on different machines.
        narrowed: the claim about the cells that were chosen on another split, if it has `choose_on`.
    """

    claim: ClaimSpec
    metric: str
    effects: np.ndarray
    drawn: np.ndarray | None
    examples: int = 0
    clusters: int = 0
    fewest: tuple[int, int] | None = None
    single_seed: bool = False
    selected_on_scored_rows: bool = False
    threshold_tuned_on_scored_rows: bool = False
    failed: Sequence[Sequence[str]] = ()
    not_reached: bool = False
    same_scores: bool = False
    stands_in: bool = False
    nothing_to_lose: Sequence[str] = ()
    other_machine: bool = False
    narrowed: ClaimSpec | None = None

    @property
    def unit(self) -> Unit | None:
        """The unit of the effect if it is not the metric's."""
        if self.claim.pairs == "most":
            return Unit.OF_PAIRS
        if self.claim.mean_over:
            return Unit.OVERALL
        units = {"training": Unit.RELATIVE, "scoring": Unit.RELATIVE, "selection": Unit.EPOCHS}
        return units.get(METRICS[self.metric].measures)

    @property
    def not_trained(self) -> list[str]:
        """The runs that failed with any seed."""
        return _distinct(self.failed)

    @property
    def by_seed(self) -> list[float]:
        """The effect of each seed, in the single comparison whose effect is the claim's."""
        total = self.effects.sum(1)
        return self.effects[np.argmin(total) if self.claim.within is None else np.argmax(np.abs(total))].tolist()

    @property
    def is_exact(self) -> bool:
        """Whether it compares counts that no other measurement would change, such as numbers of parameters."""
        metric = METRICS[self.metric]
        return not (metric.on_examples or metric.varies)

    @property
    def cannot_be_judged(self) -> str | None:
        """Why the claim is inconclusive whatever the interval: a verdict, or None."""
        if self.not_reached:
            return Verdict.NOT_REACHED
        if self.not_trained:
            return Verdict.NOT_TRAINED
        if self.nothing_to_lose:
            return Verdict.NOTHING_TO_LOSE
        if self.same_scores:
            return Verdict.SAME_SCORES
        if self.other_machine:
            return Verdict.OTHER_MACHINE
        return Verdict.STANDS_IN if self.stands_in else None

    def outcome(self, level: float = intervals.LEVEL) -> Outcome:
        """Return effect, interval and verdict over all seeds.

        A claim about k single comparisons is supported if each of their intervals supports it. By chance alone, one of
        k effects often lies below 0, so a single comparison refutes the claim only with Bonferroni's correction for
        their number. The claim's interval contains the smallest effect with the given confidence: it goes from the
        lowest of the k lower ends to the lowest of the k corrected upper ends. For a claim of equivalence, it contains
        all k intervals.
        """
        if self.not_reached:
            return Outcome(None, None, None, Verdict.NOT_REACHED)
        count, within = len(self.effects), self.claim.within
        lows, highs = np.transpose([self._interval(number, level) for number in range(count)])
        least, most = lows, highs  # by Bonferroni's correction, if there are several
        if count > 1:
            least, most = np.transpose([self._interval(number, 1 - (1 - level) / count) for number in range(count)])
        low = lows.min()
        if within is None:
            high, supported, refuted = np.fmin.reduce(most), (lows > 0).all(), (most < 0).any()
        else:
            high, supported = highs.max(), ((lows >= -within) & (highs <= within)).all()
            refuted = ((least > within) | (most < -within)).any()
        effect = float(np.mean(self.by_seed))
        if not math.isfinite(effect):  # e.g. the F1 of a threshold that accepts nothing
            return Outcome(None, None, None, self.cannot_be_judged or Verdict.INCONCLUSIVE)
        found = Verdict.SUPPORTED if supported else Verdict.REFUTED if refuted else Verdict.INCONCLUSIVE
        verdict = self.cannot_be_judged or found
        if not math.isfinite(high - low):
            return Outcome(effect, None, None, verdict)
        return Outcome(effect, float(low), float(high), verdict)

    def _interval(self, number: int, level: float) -> tuple[float, float]:
        """Return the interval of a single comparison."""
        by_seed, metric = self.effects[number].tolist(), METRICS[self.metric]
        effect = float(np.mean(by_seed))
        if self.drawn is None:
            # Another measurement of a time or another training would give another value, so one decides nothing.
            over_examples = intervals.UNLIMITED if metric.varies and len(by_seed) < 2 else (effect, effect)
            step = metric.step * math.sqrt(1 + bool(self.claim.than))  # of one rounded value or two
            return intervals.with_seeds(over_examples, by_seed, level=level, step=step)
        drawn, (examples, clusters) = self.drawn[number].mean(0), self.fewest or (self.examples, self.clusters)
        if not examples:
            return math.nan, math.nan
        low, high = intervals.percentiles(drawn, clusters, level)
        if self.unit is None and metric.is_share:
            # Examples on which the sides differ can be too rare to occur among these. Whole clusters of them can, too:
            # equivalence must hold for those, and where all clusters are alike, they are not excluded.
            alike = intervals.is_fixed(drawn) or self.claim.within is not None
            margin = intervals.unseen(clusters if alike else examples, level) * self._largest_difference
            low, high = effect - math.hypot(effect - low, margin), effect + math.hypot(high - effect, margin)
        elif intervals.is_fixed(drawn) and (self.unit != Unit.OF_PAIRS or intervals.is_too_few(clusters, level)):
            low, high = intervals.UNLIMITED  # no example makes a difference; others might
        return intervals.with_seeds((low, high), by_seed, level=level)

    @property
    def _largest_difference(self) -> int:
        """How much one example can count: twice as much in a difference of differences."""
        return 2 if any(cell.minus for cell in self.claim.cells) else 1

    def singly(self) -> list["Comparison"]:
        """Return the single comparisons, each as a comparison of its own."""
        return [
            replace(self, effects=self.effects[[one]], drawn=None if self.drawn is None else self.drawn[[one]])
            for one in range(len(self.effects))
        ]

    def of_each_seed(self) -> list[Outcome]:
        """Return effect, interval and verdict of each seed alone; empty if there is only one."""
        if len(self.by_seed) < 2 or self.drawn is None:
            return []
        each = (
            replace(
                self,
                effects=self.effects[:, [seed]],
                drawn=self.drawn[:, [seed]],
                failed=self.failed[seed : seed + 1] if len(self.failed) > 1 else self.failed,
            )
            for seed in range(len(self.by_seed))
        )
        return [one.outcome() for one in each]


def compare(spec: ClaimSpec, evidence: Evidence) -> Comparison:
    """Compare both sides of a claim.

    Scores are compared on the same resampled examples, seed by seed, so that the variance that both sides share cancels
    out. Cells can score different subsets of one split; a resample of the split then contains some rows of each.

    Raises:
        UserError: if the cells are scored on different splits.
    """
    first = spec.cells[0]
    during = [(cell.run, cell.on, cell.during) for cell in cells_of(spec) if cell.during is not None]
    if not all(evidence.reached(*one) for one in during):
        return Comparison(spec, first.metric, np.empty((1, 0)), None, not_reached=True)
    if spec.choose_on:
        better, than = (best_on(spec.choose_on, side, evidence) for side in (spec.better, spec.than))
        narrowed = replace(spec, better=better, than=than, choose_on="")
        return replace(compare(narrowed, evidence), claim=spec, narrowed=narrowed)
    if spec.mean_over:
        rows = [(part.cells[0].on, part.cells[0].subset) for part in spec.mean_over]
        different = list(dict.fromkeys(rows))  # resampled independently
        parts = zip(spec.mean_over, rows, strict=True)
        return _of_mean(spec, [_of_examples(part, evidence, different.index(those)) for part, those in parts])
    return (_of_examples if METRICS[first.metric].on_examples else _of_measurements)(spec, evidence)


def _of_mean(spec: ClaimSpec, parts: Sequence[Comparison]) -> Comparison:
    """Average comparisons of the same runs on other scores, each multiplied by the `scale` of its cells."""
    scales = np.array([part.claim.cells[0].scale for part in parts])

    def mean(values: Sequence[np.ndarray]) -> np.ndarray:
        each = np.broadcast_arrays(*values)  # a part without rows has one undefined value for all resamples
        return np.mean([scale * one for scale, one in zip(scales, each, strict=True)], axis=0)

    return Comparison(
        spec,
        metric=parts[0].metric,
        effects=mean([part.effects for part in parts]),
        drawn=mean([part.drawn for part in parts if part.drawn is not None]),
        examples=sum(part.examples for part in parts),
        clusters=sum(part.clusters for part in parts),
        fewest=min((part.fewest for part in parts if part.fewest), key=lambda counted: counted[::-1]),
        single_seed=any(part.single_seed for part in parts),
        selected_on_scored_rows=any(part.selected_on_scored_rows for part in parts),
        threshold_tuned_on_scored_rows=any(part.threshold_tuned_on_scored_rows for part in parts),
        failed=_failed_in_any([part.failed for part in parts]),
        same_scores=all(part.same_scores for part in parts),
        nothing_to_lose=[run for part in parts for run in part.nothing_to_lose],
    )


def _failed_in_any(parts: Sequence[Sequence[Sequence[str]]]) -> list[list[str]]:
    """Return for each seed the runs that failed in any part; one with a single seed counts with every seed."""
    seeds = range(max(map(len, parts)))
    return [_distinct(one for part in parts for one in part[seed : seed + 1] or part[:1]) for seed in seeds]


def _of_examples(spec: ClaimSpec, evidence: Evidence, random: int = 0) -> Comparison:
    """Compare scores of examples, whose resampling `random` seeds."""
    better, other = ([Scored(cell, evidence) for cell in side] for side in (spec.better, spec.than))
    scored = [*better, *other]
    rows, places = _together(scored, spec)
    sign = 1 if METRICS[scored[0].name].higher_is_better else -1

    seeds = range(max(cell.seed_count for cell in scored))

    def values(counts: np.ndarray, which: slice | None = None) -> np.ndarray:
        """Return what each cell has with each seed on b resamples, (cells, seeds, b)."""
        found = [
            [sign * cell.of_resamples(seed, counts[:, place], which) for seed in seeds]
            for cell, place in zip(scored, places, strict=True)
        ]
        return np.array(found if other else [*found, np.full_like(found[0], sign * (spec.than_value or 0))])

    failed = failed_by_seed([cell.run for cell in cells_of(spec)], evidence)
    if not len(rows):
        none = np.full((1, len(seeds), 1), np.nan)
        return Comparison(spec, scored[0].name, none[:, :, 0], none, fewest=(0, 0), failed=failed)
    clusters, observed = evidence.clusters(spec.cells[0].on, rows), values(np.ones((1, len(rows))))
    drawn = np.concatenate(
        [values(counts, which) for which, counts in intervals.draws(clusters, random=random)], axis=2
    )
    for number, cell in enumerate(scored):
        drawn[number] = cell.centred(drawn[number], observed[number, :, 0])
    effects, on_resamples = single_comparisons(spec, observed, drawn)
    return Comparison(
        spec,
        metric=scored[0].name,
        effects=effects[:, :, 0],
        drawn=on_resamples,
        examples=len(rows),
        clusters=int(clusters.max()) + 1,
        fewest=min(((cell.count, cell.cluster_count) for cell in scored), key=lambda counted: counted[::-1]),
        single_seed=any(evidence.single_seed(cell.run) for cell in cells_of(spec)),
        selected_on_scored_rows=any(map(evidence.is_selected_on, cells_of(spec))),
        threshold_tuned_on_scored_rows=any(tunes_on_scored_rows(cell) for cell in cells_of(spec)),
        failed=failed,
        same_scores=bool(other) and all(_same(one, another) for one in better for another in other),
        nothing_to_lose=_nothing_to_lose(spec, evidence) if spec.retention else (),
    )


def _same(one: Scored, other: Scored) -> bool:
    """Return whether two cells have the same scores of the same rows, at the same thresholds."""
    seeds = list(zip(one.seeds, other.seeds))
    return (
        len(one.seeds) == len(other.seeds)
        and list(one.thresholds) == list(other.thresholds)
        and not one.other
        and not other.other
        and all(
            np.array_equal(a.id, b.id) and np.array_equal(a.compared(one.name), b.compared(other.name))
            for a, b in seeds
        )
    )


def _of_measurements(spec: ClaimSpec, evidence: Evidence) -> Comparison:
    """Compare times, memory or counts: by how much larger, or smaller, the better side is, relative to the other.

    Selected epochs are compared by their difference. Each seed is a measurement, or each repeated timing of a single
    one.
    """
    metric = METRICS[spec.cells[0].metric]
    better, other = (
        [np.array(repeats(cell, evidence), dtype=float) for cell in side] for side in (spec.better, spec.than)
    )
    other = other or [np.full(len(better[0]), spec.than_value)]
    if len({len(values) for values in [*better, *other]}) > 1:  # measurements have no partners
        better, other = ([values.mean(keepdims=True) for values in side] for side in (better, other))
    left, right = np.mean(better, axis=0), np.mean(other, axis=0)
    change = left - right if metric.measures == "selection" else left / right - 1
    return Comparison(
        spec,
        metric=metric.name,
        effects=(change if metric.higher_is_better else -change)[None],
        drawn=None,
        single_seed=metric.varies and len(left) == 1,
        failed=failed_by_seed([cell.run for cell in cells_of(spec)], evidence) if metric.of_learning else (),
        other_machine=metric.is_timed and len(machines(spec.cells, evidence)) > 1,
    )


def cells_of(spec: ClaimSpec) -> list[CellSpec]:
    """Return all cells of a claim, with those that are subtracted."""
    return [*spec.cells, *(cell.minus for cell in spec.cells if cell.minus)]


def _distinct(groups: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(name for group in groups for name in group))


def _nothing_to_lose(spec: ClaimSpec, evidence: Evidence) -> list[str]:
    """Return the runs that learned too little for a claim of retention.

    What can be lost must be better than the majority baseline by the interval of the claim's own metric. If it is the
    score of a finished run, or after a stage, that just learnt it, it must also be better than before.
    """
    learnt = list(dict.fromkeys(cell.minus for cell in spec.cells if cell.minus))
    return [cell.run for cell in learnt or spec.better if not _can_be_lost(cell, evidence, just_learnt=bool(learnt))]


def _can_be_lost(cell: CellSpec, evidence: Evidence, just_learnt: bool) -> bool:
    claim = ClaimSpec("", "", better=(cell,))
    before = [replace(claim, than_value=baseline(cell.metric, Scored(cell, evidence).seeds[0]))]
    if just_learnt and (start := cell.before(evidence.start_from(cell.run))):
        before.append(replace(claim, than=(start,)))
    lowest = [_of_examples(one, evidence).outcome().low for one in before]
    return all(low is not None and low > 0 for low in lowest)


def _together(scored: Sequence[Scored], spec: ClaimSpec) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the identifiers of all rows that any cell scores, and each cell's places among them."""
    split = scored[0].of_split
    if any(len(cell.of_split) != len(split) or (cell.of_split != split).any() for cell in scored):
        raise UserError(
            f"the claim {spec.statement!r} compares runs on different examples: give both sides the same `on`"
        )
    used = set().union(*(cell.seeds[0].id for cell in scored))
    rows = np.array([name for name in split if name in used])
    place: Mapping[str, int] = {name: number for number, name in enumerate(rows)}
    return rows, [np.array([place[name] for name in cell.seeds[0].id], dtype=int) for cell in scored]
