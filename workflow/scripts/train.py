"""Train runs that share a job, one after another, with one seed."""

from pathlib import Path

from semblance.errors import UserError
from semblance.files import whole_folder, write_json
from semblance.job import job
from semblance.training.run import train_run

with job(snakemake):
    data = dict(zip(snakemake.params.data, map(Path, snakemake.input.data), strict=True))
    # Runs that share a job are of one kind: all start from something, or none does.
    origins = list(map(Path, snakemake.input.origins)) or [None] * len(snakemake.params.runs)
    computing = {**snakemake.params.computing, "threads": snakemake.threads}
    for number, run in enumerate(snakemake.params.runs):
        model, watched = snakemake.output.models[number], snakemake.output.watched[number]
        with whole_folder(model) as folder, whole_folder(watched) as looks:
            try:
                facts = train_run(
                    snakemake.params.specs[number],
                    int(snakemake.wildcards.seed),
                    origins[number],
                    data,
                    computing,
                    folder,
                    Path(snakemake.output.curves[number]),
                    looks,
                )
            except UserError as problem:
                raise UserError(f"{run}: {problem}") from None
        write_json(snakemake.output.facts[number], facts)
