"""Provide one encoder: fetch it from its configured source, or pre-train it."""

from importlib import import_module
from pathlib import Path

from semblance import checkpoints
from semblance.encoders.make import make
from semblance.files import whole_file, whole_folder, write_json
from semblance.job import job
from semblance.specs.computing import Computing
from semblance.specs.encoders import EncoderSpec


def checkpoint():
    """Return where pre-training writes its checkpoints."""
    file = checkpoints.folder(snakemake.output.folder) / f"{checkpoints.fingerprint(snakemake)}.pt"
    # By name, because fetching needs neither torch nor the code of training: see `code.digest`.
    return import_module("semblance.training.checkpoint").Checkpoint(file, snakemake.config["save_every"])


with job(snakemake):
    with whole_folder(snakemake.output.folder) as folder, whole_file(snakemake.output.curve) as curve:
        facts = make(
            EncoderSpec.of(snakemake.params.spec),
            [Path(path) for path in snakemake.params.data],
            Path(snakemake.input.start[0]) if snakemake.input.start else None,
            Computing(**snakemake.params.computing) if snakemake.params.computing else None,
            folder,
            curve,
            checkpoint,
        )
    write_json(snakemake.output.facts, facts)
    checkpoints.forget(snakemake.output.folder)
