"""Train the runs of a job with one seed, one group after another."""

from dataclasses import asdict
from pathlib import Path

from semblance import checkpoints, trainers
from semblance.errors import UserError
from semblance.files import whole_folder, write_json
from semblance.job import job
from semblance.paths import FACTS, MODEL
from semblance.provenance import stamp
from semblance.specs.computing import Computing
from semblance.specs.run import RunSpec, TaskRows
from semblance.specs.typed import typed
from semblance.trainers.work import Training

with job(snakemake):
    params, trainer = snakemake.params, trainers.named(snakemake.params.trainer)
    data = {name: Path(path) for name, path in params.data.items()}
    specs = {run: typed(RunSpec, spec) for run, spec in params.specs.items()}
    made_by = {run: stamp(given) for run, given in params.made_by.items()}
    fingerprint = checkpoints.fingerprint(snakemake)
    with whole_folder(snakemake.output[0]) as folder:
        for first, *rest in params.groups:
            runs, start = [first, *rest], specs[first].start_from
            # A run can start from a previous run of this job.
            own = folder / start / MODEL if start else None
            work = Training(
                specs={run: specs[run] for run in runs},
                data=data,
                computing=Computing(**params.computing),
                made_by=made_by,
                folders={run: folder / run for run in runs},
                seed=int(snakemake.wildcards.seed),
                origin=Path(params.origins[first]) if first in params.origins else own,
                state=checkpoints.folder(snakemake.output[0]) / f"{first}-{fingerprint}.pt",
                save_every=snakemake.config["save_every"],
                tasks={run: typed(TaskRows, task) for run, task in params.tasks.items()},
            )
            for place in work.folders.values():
                (place / MODEL).mkdir(parents=True)
            try:
                facts = trainer.train(work)
            except UserError as problem:
                more = f" and {len(rest)} more" if rest else ""
                raise UserError(f"{first}{more}: {problem}") from None
            for run, found in facts.items():
                written = {"spec": asdict(specs[run]), "seed": work.seed, **found, "made_by": made_by[run]}
                write_json(work.folders[run] / FACTS, written)
