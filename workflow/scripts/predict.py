"""Score the splits on which the runs of a job are evaluated: one parquet file per run and split."""

from pathlib import Path

from semblance import checkpoints, trainers
from semblance.files import whole_folder, write_json
from semblance.job import job
from semblance.paths import SPEED
from semblance.provenance import stamp
from semblance.specs.computing import Computing
from semblance.specs.run import RunSpec
from semblance.specs.typed import typed
from semblance.trainers.work import Scoring

with job(snakemake):
    params, trainer = snakemake.params, trainers.named(snakemake.params.trainer)
    made_by = {run: stamp(given) for run, given in params.made_by.items()}
    with whole_folder(snakemake.output[0]) as folder:
        for runs in params.groups:
            work = Scoring(
                specs={run: typed(RunSpec, params.specs[run]) for run in runs},
                data={name: Path(path) for name, path in params.data.items()},
                computing=Computing(**params.computing),
                made_by=made_by,
                folders={run: folder / run for run in runs},
                models={run: Path(params.models[run]) for run in runs},
                encoder=Path(params.encoders[runs[0]]) if params.encoders else None,
            )
            for place in work.folders.values():
                place.mkdir()
            for run, splits in trainer.predict(work).items():
                write_json(work.folders[run] / SPEED, {"splits": splits, "made_by": made_by[run]})
    # Of the training, which Snakemake repeats if it was killed before it had recorded it. It then resumes at its end.
    checkpoints.forget(snakemake.output[0])
