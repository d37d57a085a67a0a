"""The jobs that must run again after a change, computed from the configuration, to compare with Snakemake's plan."""

from collections import Counter
from collections.abc import Callable, Collection

from semblance.config.project import Project
from semblance.planning.jobs import of_project
from semblance.planning.layout import Layout
from semblance.planning.needs import Needs
from semblance.planning.work import Work
from semblance.specs.run import RunSpec

Specs = list[RunSpec]  # of the runs of a job


class Graph:
    """The jobs of a project, traversed from the changed ones to the report."""

    def __init__(self, project: Project):
        self.project, jobs = project, of_project(project)
        self.layout = Layout(project, jobs)
        self.work, self.needs = Work(project, self.layout, jobs), Needs(project, self.layout)
        self.changed: set[str] = set()
        self.jobs: Counter[str] = Counter()

    def after(
        self,
        *,
        datasets: Collection[str] = (),
        encoders: Collection[str] = (),
        trains: Callable[[Specs, int], bool] = lambda specs, seed: False,
        rules: Collection[str] = (),
    ) -> dict[str, int]:
        """Return the jobs that run again, by rule.

        Args:
            datasets: changed datasets.
            encoders: changed encoders.
            trains: whether the runs of a job, given their specs, are trained differently with a seed.
            rules: rules of which all jobs run again.
        """
        for name in datasets:
            self._add("prepare_dataset", [self.layout.dataset(name)], True)
        for name in sorted(self.project.encoders_used(), key=lambda name: bool(self._start(name))):
            inputs = sum(self.work.encoder(name).inputs.values(), [])
            self._add("make_encoder", [self.layout.encoder(name)], name in encoders, inputs)
        for seed in self.project.settings.seeds:
            self._train(seed, trains)
        for job in self.work.jobs.values():
            if self.project.own_tasks(job.paper, job.runs):
                made = [self.layout.learned(job.paper, job.runs[0])]
                self._add("judge_learning", made, "judge_learning" in rules, self.needs.learning(job).files)
        for paper in self.project.papers.values():
            self._render(paper, rules)
        if {"render_table", "render_claims"} & self.jobs.keys() or "render_overview" in rules:
            self.jobs["render_overview"] = 1
        rendered = {"render_table", "render_claims", "render_figure", "render_list", "judge_learning", "train"}
        if rendered & self.jobs.keys():
            self.jobs["render_report"] = 1
        exported = {"render_table", "render_claims", "render_figure", "render_overview", "judge_learning"}
        if exported & self.jobs.keys():
            self.jobs["export_results"] = 1
        return dict(self.jobs)

    def _train(self, seed: int, trains: Callable[[Specs, int], bool]) -> None:
        for name, whole in self.work.jobs.items():
            if all(seed not in self.project.seeds_of_run(whole.paper, run) for run in whole.runs):
                continue
            seeded = self.work.job(name, seed)
            job = seeded.job
            outputs = [[self.layout.job(kind, job.paper, job.runs[0], seed)] for kind in ("training", "predictions")]
            data, specs = self.layout.datasets_of, [self.project.run(job.paper, run) for run in job.runs]
            inputs = data(seeded.training_data) + seeded.origin_inputs
            self._add("train", outputs[0], trains(specs, seed), inputs)
            inputs = data(seeded.scoring_data) + [*seeded.shared_encoders.values()]
            self._add("predict", outputs[1], False, [*outputs[0], *inputs])

    def _render(self, paper, rules: Collection[str]) -> None:
        name, needs = paper.name, self.needs
        for item in paper.tables:
            made = [self.layout.table(name, item)]
            self._add("render_table", made, "render_table" in rules, needs.table(name, item).files)
        for item in paper.lists:
            self._add("render_list", [], "render_list" in rules, needs.listed(name, item).files)
        if paper.claims:
            self._add("render_claims", [], "render_claims" in rules, needs.claims(name).files)
        for item, spec in paper.figures.items():
            if spec.kind == "similarity-matrices":
                of = needs.tokens_of_figure(name, item)
                inputs = [of.encoder, *of.jobs, *self.layout.datasets_of([spec.on])]
                made = [self.layout.similarities(name, item)]
                self._add("compare_tokens", made, "compare_tokens" in rules, inputs)
            inputs = needs.data_of_figure(name, item) + needs.figure(name, item).files
            self._add("render_figure", [], "render_figure" in rules, inputs)

    def _add(self, rule: str, outputs: Collection[str], is_changed: bool, inputs: Collection[str] = ()) -> None:
        """Count a job and mark its outputs as changed, if it or one of its inputs has changed."""
        if is_changed or self.changed.intersection(inputs):
            self.jobs[rule] += 1
            self.changed.update(outputs)

    def _start(self, encoder: str) -> str | None:
        return self.project.encoders.start_of(encoder)
