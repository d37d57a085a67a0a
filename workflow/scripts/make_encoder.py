"""Provide one encoder: fetch it from its configured source, or pre-train it."""

from pathlib import Path

from semblance.checkpoints import forget
from semblance.encoders.make import make
from semblance.files import whole_folder, write_json
from semblance.job import job


def checkpoint():
    from semblance.training.checkpoint import of_job  # imported here, because fetching does not need torch

    return of_job(snakemake, snakemake.output.folder)


with job(snakemake):
    with whole_folder(snakemake.output.folder) as folder:
        facts = make(
            snakemake.params.spec,
            [Path(p) for p in snakemake.input.data],
            Path(snakemake.input.start[0]) if snakemake.input.start else None,
            {**snakemake.params.computing, "seed": 1},
            folder,
            Path(snakemake.output.curve),
            checkpoint,
        )
    write_json(snakemake.output.facts, facts)
    forget(snakemake.output.folder)
