"""Make one encoder: fetch it from where the configuration says, or pre-train it."""

from pathlib import Path

from semblance.encoders.make import make
from semblance.files import whole_folder, write_json
from semblance.job import job

with job(snakemake), whole_folder(snakemake.output.folder) as folder:
    facts = make(
        snakemake.params.spec,
        [Path(p) for p in snakemake.input.data],
        Path(snakemake.input.start[0]) if snakemake.input.start else None,
        {**snakemake.params.computing, "threads": snakemake.threads, "seed": 1},
        folder,
        Path(snakemake.output.curve),
    )
    write_json(snakemake.output.facts, facts)
