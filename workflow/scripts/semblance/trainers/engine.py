"""Neural networks that `training.engine` trains one by one, or that are used without training."""

from semblance.trainers.prediction import predict
from semblance.trainers.work import Training
from semblance.training.checkpoint import Checkpoint
from semblance.training.run import train_run

__all__ = ["predict", "train"]


def train(work: Training) -> dict[str, dict]:
    """Train each run and return the runs' facts."""
    return {run: _train(run, work) for run in work.specs}


def _train(run: str, work: Training) -> dict:
    return train_run(
        work.specs[run],
        work.seed,
        work.origin,
        work.data,
        work.computing,
        work.made_by[run],
        work.folders[run],
        work.tasks.get(run),
        Checkpoint(work.state, work.save_every),
    )
