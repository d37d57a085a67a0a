# What the other rules files start from: the checked configuration, where artifacts lie, and what jobs need.
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

# Not workflow.basedir: for a workflow that uses this one as a module, that is its own.
sys.path.insert(0, str(Path(str(workflow.current_basedir)).parent / "workflow" / "scripts"))

from semblance import provenance
from semblance.code import modules
from semblance.config.project import load
from semblance.errors import UserError, require
from semblance.layout import Layout
from semblance.paths import ROOT
from semblance.planning import summary
from semblance.planning.needs import Needs

try:
    PROJECT = load(ROOT, config)
except UserError as problem:
    raise WorkflowError(f"semblance: {problem}") from None

LAYOUT = Layout(PROJECT)
NEEDS = Needs(PROJECT, LAYOUT)
# Numbers hang on the threads that compute them: they are the preset's, however few the cores are.
COMPUTING = {key: PROJECT.settings[key] for key in ("device", "precision")} | {"threads": PROJECT.preset["threads"]}
# What a job computes with; with another version of that it is made again.
VERSIONS = provenance.locked(ROOT / "requirements.lock")
ENVIRONMENT = f"../envs/{NEEDS.environment}.yaml"


def asked(cost):
    """What a cluster is asked for: thrice the time that a job is reckoned to take, its memory, and more of both each
    time it is tried again. Where Snakemake runs the jobs itself this has no meaning."""
    minutes, megabytes = 10 + 3 * cost.seconds / 60, cost.memory_mb
    return {
        "runtime": lambda wildcards, attempt: round(minutes * attempt),
        "mem_mb": lambda wildcards, attempt: round(megabytes * (1 + attempt) / 2),
    }


# A job of seconds, of which a cluster runs many as one: without a limit to `rendering`, all of them beside each other.
LIGHT = {"rendering": 1, "runtime": lambda wildcards, attempt: 5 * attempt}


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
    paper="|".join(PROJECT.papers),
    item=r"[a-z0-9-]+",
    seed=r"\d+",
