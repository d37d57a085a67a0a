# What every other rules file starts from: the checked configuration and where things lie.
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

ROOT = Path(workflow.basedir)
sys.path.insert(0, str(ROOT / "workflow" / "scripts"))

from semblance.code import modules
from semblance.config.project import load
from semblance.errors import UserError

try:
    PROJECT = load(ROOT, config)
except UserError as problem:
    raise WorkflowError(f"semblance: {problem}") from None

PRESET = PROJECT.settings["preset"]
RESULTS = f"results/{PRESET}"
LOGS = f"results/logs/{PRESET}"
BENCHMARKS = f"results/benchmarks/{PRESET}"
COMPUTING = {key: PROJECT.settings[key] for key in ("device", "precision")}
ENVIRONMENT = ROOT / "envs" / "semblance.yaml"


wildcard_constraints:
    dataset="|".join(PROJECT.datasets),
    encoder="|".join(PROJECT.encoders),
    paper="|".join(PROJECT.papers),
    run=r"[a-z0-9-]+",
    item=r"[a-z0-9-]+",
    seed=r"\d+",


def splits(names):
    """The prepared files of splits named like qqp/train."""
    return [f"{RESULTS}/data/{name}.parquet" for name in names]


def gpu(wanted):
    """The GPUs a job asks for: none where the configuration or the machine has none.

    On a cluster the machine that submits may have no GPU: its profile sets device: cuda.
    """
    device = PROJECT.settings["device"]
    there = device == "cuda" or (device == "auto" and Path("/dev/nvidia0").exists())
    return int(bool(wanted) and there)


def spec_of(wildcards):
    """The complete spec of the run a job is about."""
    return PROJECT.papers[wildcards.paper].runs[wildcards.run]
