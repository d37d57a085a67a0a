"""What jobs that train, score and make encoders read and are given: files, specs, code."""

from __future__ import annotations

import os
from collections.abc import Iterable

from semblance import code, provenance
from semblance.config.project import Project
from semblance.layout import Layout
from semblance.paths import GRAMMAR, MODEL, ROOT
from semblance.planning import machine
from semblance.planning.costs import Cost, Costs
from semblance.planning.jobs import Job

TRAINED_WITH = ("model", "stages", "select_stage")  # keys of a run that decide its weights
PRETRAINING = ("objectives.pretraining", "objectives.in_batch_ranking")


class Work:
    """The inputs and parameters of jobs, by the job's name (see `planning.jobs`), which is a wildcard of the rules.

    Args:
        project: the project.
        layout: where its artifacts are.
        jobs: its jobs.
    """

    def __init__(self, project: Project, layout: Layout, jobs: Iterable[Job]):
        self.project, self.layout = project, layout
        self.jobs = {job.name: job for job in jobs}
        self.device = machine.device(project.settings)
        self.costs = Costs(project, self.device, ROOT)

    # -- encoders --------------------------------------------------------------------------------

    def of_encoder(self, encoder: str) -> dict[str, list[str]]:
        """Return the inputs of the job that makes an encoder, by kind."""
        spec = self.project.encoder_spec(encoder)
        return {
            "data": self.layout.datasets_of(self.project.read_by_encoder(encoder)),
            "grammar": [os.path.relpath(GRAMMAR)] if "generated" in spec.get("corpus", []) else [],
            "start": [self.layout.encoder(spec["start_from"])] if "start_from" in spec else [],
            "shipped": _files_in(spec["folder"]) if spec["kind"] == "shipped" else [],
        }

    def encoder_code(self, encoder: str) -> str:
        """Return the digest of the code that makes an encoder; a fetched one does not depend on pre-training."""
        generated = self.project.encoder_spec(encoder)["kind"] == "generated"
        return code.digest("make_encoder.py", *(PRETRAINING if generated else ()))

    def gpus_of_encoder(self, encoder: str) -> int:
        return self._gpus(self.project.encoder_spec(encoder)["kind"] == "generated")

    # -- training --------------------------------------------------------------------------------

    def groups(self, name: str) -> list[list[str]]:
        """Return the runs of a job in the order of training, by group."""
        return [list(group) for group in self.jobs[name].groups]

    def training_specs(self, name: str) -> dict[str, dict]:
        """Return what each run is trained by; how its learning is judged is no reason to train it again."""
        found = self._parts(name, "start_from", *TRAINED_WITH)
        tasks = {run: self.project.own_task(self.jobs[name].paper, run) for run in found}
        scored = {run: task and {key: task[key] for key in ("on", "train")} for run, task in tasks.items()}
        return {run: {**spec, "own_task": scored[run]} for run, spec in found.items()}

    def training_data(self, name: str) -> list[str]:
        """Return the splits that a job reads to train its runs."""
        job = self.jobs[name]
        return _union(self.project.read_in_training(job.paper, run) for run in job.runs)

    def origins(self, name: str, seed: object) -> dict[str, str]:
        """Return the folder from which each run starts, an encoder or another job's run of the same seed."""
        return {run: found[1] for run, found in self._origins(name, seed).items()}

    def origin_inputs(self, name: str, seed: object) -> list[str]:
        """Return the outputs of other jobs that contain those folders."""
        return list(dict.fromkeys(found[0] for found in self._origins(name, seed).values()))

    def _origins(self, name: str, seed: object) -> dict[str, tuple[str, str]]:
        job, found = self.jobs[name], {}
        for run in job.runs:
            spec = self.project.run(job.paper, run)
            start = spec["start_from"]
            if start and start not in job.runs:
                folder = self.layout.run("training", job.paper, start, seed)
                found[run] = self.layout.job("training", job.paper, start, seed), f"{folder}/{MODEL}"
            elif not start and "encoder" in spec["model"]:
                found[run] = (self.layout.encoder(spec["model"]["encoder"]),) * 2
        return found

    def training_code(self, name: str) -> str:
        """Return the digest of a job's script, trainer, kinds of models, objectives and regularizers."""
        stages = [stage for spec in self._parts(name, "stages").values() for stage in spec["stages"]]
        objectives = {f"objectives.{stage['objective'].replace('-', '_')}" for stage in stages}
        regularizers = {f"regularizers.{kind}" for stage in stages for kind in stage.get("regularizer", ())}
        return code.digest("train.py", *self._plugins(name), *sorted(objectives | regularizers))

    def gpus(self, name: str) -> int:
        """Return the number of GPUs that a job trains on: one if a regularizer needs whole batches."""
        stages = [stage for spec in self._parts(name, "stages").values() for stage in spec["stages"]]
        several = self.jobs[name].trainer == "engine" and not any("regularizer" in stage for stage in stages)
        return self._gpus(stages) * (self.project.settings["gpus_per_run"] if several else 1)

    # -- scoring ---------------------------------------------------------------------------------

    def scoring_specs(self, name: str) -> dict[str, dict]:
        """Return what each run is scored by."""
        return self._parts(name, "model", "evaluate", "timing_repeats", "may_collapse")

    def scoring_data(self, name: str) -> list[str]:
        """Return the splits that a job scores."""
        return _union(spec["evaluate"] for spec in self._parts(name, "evaluate").values())

    def models(self, name: str, seed: object) -> dict[str, str]:
        """Return the folder of each run's model."""
        job = self.jobs[name]
        return {run: f"{self.layout.run('training', job.paper, run, seed)}/{MODEL}" for run in job.runs}

    def trained(self, name: str, seed: object) -> str:
        """Return the output of the job that contains them."""
        job = self.jobs[name]
        return self.layout.job("training", job.paper, job.runs[0], seed)

    def shared_encoders(self, name: str) -> dict[str, str]:
        """Return the frozen encoder that each run's network needs for scoring; empty for other jobs."""
        if self.jobs[name].trainer != "frozen_encoder":
            return {}
        specs = self._parts(name, "model")
        return {run: self.layout.encoder(spec["model"]["encoder"]) for run, spec in specs.items()}

    def scoring_code(self, name: str) -> str:
        return code.digest("predict.py", *self._plugins(name))

    def scoring_gpus(self, name: str) -> int:
        return self._gpus(self.jobs[name].trainer != "fit")

    # -- both ------------------------------------------------------------------------------------

    def cost(self, name: str, verb: str) -> Cost:
        """Return the estimated cost of a job that trains or predicts."""
        return {"train": self.costs.training, "predict": self.costs.scoring}[verb](self.jobs[name])

    def made_by(self, name: str) -> dict[str, dict[str, str]]:
        """Return what each run writes into its results; see `semblance.provenance`."""
        job, preset = self.jobs[name], self.project.settings["preset"]
        return {run: {"preset": preset, "recipe": recipe(self.project, job.paper, run)} for run in job.runs}

    def _parts(self, name: str, *keys: str) -> dict[str, dict]:
        job = self.jobs[name]
        return {run: {key: self.project.run(job.paper, run)[key] for key in keys} for run in job.runs}

    def _plugins(self, name: str) -> list[str]:
        kinds = {spec["model"]["kind"] for spec in self._parts(name, "model").values()}
        return [f"trainers.{self.jobs[name].trainer}", *sorted(f"models.{kind.replace('-', '_')}" for kind in kinds)]

    def _gpus(self, wanted: object) -> int:
        return int(bool(wanted) and self.device == "cuda")


def recipe(project: Project, paper: str, run: str) -> str:
    """Return a short name for all that the configuration says of a run's training and of what it starts from."""
    spec = project.run(paper, run)
    encoder = project.encoder_spec(spec["model"]["encoder"]) if "encoder" in spec["model"] else None
    start = recipe(project, project.named(paper, run)[0], spec["start_from"]) if spec["start_from"] else None
    return provenance.recipe({key: spec[key] for key in TRAINED_WITH}, encoder, start)


def _files_in(folder: str) -> list[str]:
    """Return the files in a folder of the checkout."""
    return sorted(os.path.relpath(path) for path in (ROOT / folder).rglob("*") if path.is_file())


def _union(lists: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(name for names in lists for name in names))
