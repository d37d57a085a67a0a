# What the other rules files start from: the checked configuration, where artifacts are, and what jobs need.
import os
import re
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

# Not workflow.basedir: for a workflow that uses this one as a module, that is its own.
sys.path.insert(0, str(Path(str(workflow.current_basedir)).parent / "workflow" / "scripts"))

from semblance import provenance, results
from semblance.code import digest
from semblance.config import comparable
from semblance.config.files import read_yaml
from semblance.config.load import load
from semblance.errors import UserError
from semblance.paths import ROOT
from semblance.planning import inputs, jobs, machine, recipes, summary, targets
from semblance.planning.digests import declared
from semblance.planning.layout import Layout
from semblance.planning.needs import Needs
from semblance.planning.work import Work
from semblance.specs.resolved import as_plain

try:
    for file in getattr(workflow, "configfiles", []):
        read_yaml(Path(file))  # refuses a repeated key, of which Snakemake takes the last
    PROJECT = load(ROOT, config)
    JOBS = jobs.of_project(PROJECT)
    LAYOUT = Layout(PROJECT, JOBS)
    if getattr(workflow, "is_main_process", False):  # not in a job: the nodes of a cluster may not see the user's files
        inputs.check(PROJECT, LAYOUT)
    WORK = Work(PROJECT, LAYOUT, JOBS)
except UserError as problem:
    sys.exit(f"semblance: {problem}")  # of an exception, Snakemake prints more lines than the sentence that matters

NEEDS = Needs(PROJECT, LAYOUT)
COMPUTING = asdict(PROJECT.settings.computing)
# The versions of libraries with which a job computes; with others it runs again.
VERSIONS = provenance.locked(ROOT / "requirements.lock")
for variable, value in machine.solving(PROJECT.settings).items():
    os.environ.setdefault(variable, value)
ENVIRONMENT = f"../envs/{machine.environment(PROJECT.settings)}.yaml"
# Nodes of a cluster usually have no network: these are fetched where Snakemake runs.
FETCHED_DATASETS = [name for name in PROJECT.datasets.with_source() if PROJECT.datasets.is_fetched(name)]
FETCHED_ENCODERS = [name for name in PROJECT.encoders_used() if PROJECT.encoders[name].source.kind == "hub"]

# A job of seconds; a cluster runs ten tables, figures, lists or claims as one. Without a limit to `rendering`, these run at the same time.
LIGHT = {
    "rendering": 1,
    "mem_mb": lambda wildcards, attempt: 3000 * attempt,
    "runtime": lambda wildcards, attempt: 5 * attempt,
}


def seeded(wildcards):
    """What the job of a rule that trains or predicts reads and is given."""
    return WORK.job(wildcards.job, wildcards.seed)


def own_tasks(wildcards):
    """The own task of each run of a job that is trained and has one."""
    job = WORK.jobs[wildcards.job]
    return {run: asdict(task) for run, task in PROJECT.own_tasks(job.paper, job.runs).items()}


def runtime(cost, attempt):
    """Minutes to ask a cluster for: three times the estimate, and more at each attempt."""
    return round((10 + cost.seconds / 20) * attempt)


def memory(cost, attempt):
    """Megabytes to ask a cluster for: the estimate, and more at each attempt."""
    return round(cost.memory_mb * (1 + attempt) / 2)


def only(names):
    """A wildcard's constraint: these names, or none."""
    return "|".join(map(re.escape, names)) or "(?!)"


def without(names, other):
    return only(name for name in names if name not in other)


def or_stop(find):
    """A function that stops Snakemake with one sentence if the user erred; of an exception, Snakemake prints ten lines."""

    def found(wildcards):
        try:
            return find(wildcards)
        except UserError as problem:
            sys.exit(f"semblance: {problem}")

    return found


def named_rules():
    """The rules that can be asked for by name; none if another version of Snakemake hides them."""
    with suppress(AttributeError, TypeError):
        return [rule.name for rule in workflow.rules if not rule.has_wildcards()]
    return []


def misspelt_target(target):
    """Stop with what a target may have meant, unless it is a file of the user's, such as one of pairs."""
    if not os.path.exists(target):
        sys.exit(targets.unknown(target, named_rules(), PROJECT))
    return []


def shown(kind, paper="{paper}", item="{item}"):
    """Where `snakemake --report` puts a result, and the file of its caption."""
    return {
        "category": paper,
        "labels": {"kind": kind, "name": item},
        "caption": f"../resources/report/{kind}.rst",
    }


resource_scopes:
    rendering="local",  # the limit is one submission's


wildcard_constraints:
    paper=only(sorted(PROJECT.papers, key=len, reverse=True)),  # stl-transfer-table2 is no table of stl
    item=r"[a-z0-9-]+",
    job=only(job.name for job in JOBS),
    seed=r"\d+",
