"""Provide one encoder: fetch it from its configured source, or pre-train it."""

from pathlib import Path

from semblance import checkpoints
from semblance.encoders.make import make
from semblance.files import whole_file, whole_folder, write_json
from semblance.job import job
from semblance.specs.computing import Computing
from semblance.specs.encoders import EncoderSpec


def checkpoint():
    from semblance.training.checkpoint import Checkpoint  # imported here, because fetching does not need torch

    file = checkpoints.folder(snakemake.output.folder) / f"{checkpoints.fingerprint(snakemake)}.pt"
    return Checkpoint(file, snakemake.config["save_every"])


with job(snakemake):
    with whole_folder(snakemake.output.folder) as folder, whole_file(snakemake.output.curve) as curve:
        facts = make(
            EncoderSpec.of(snakemake.params.spec),
            [Path(path) for path in snakemake.params.data],
            Path(snakemake.input.start[0]) if snakemake.input.start else None,
            Computing(**snakemake.params.computing),
            folder,
            curve,
            checkpoint,
        )
    write_json(snakemake.output.facts, facts)
    checkpoints.forget(snakemake.output.folder)
