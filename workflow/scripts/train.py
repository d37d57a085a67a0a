"""Train one run with one seed."""

from pathlib import Path

from semblance.files import whole_folder, write_json
from semblance.job import job
from semblance.training.run import train_run

with job(snakemake), whole_folder(snakemake.output.model) as folder, whole_folder(snakemake.output.watched) as watched:
    facts = train_run(
        snakemake.params.spec,
        int(snakemake.wildcards.seed),
        Path(snakemake.input.origin[0]) if snakemake.input.origin else None,
        dict(zip(snakemake.params.data, map(Path, snakemake.input.data), strict=True)),
        {**snakemake.params.computing, "threads": snakemake.threads},
        folder,
        Path(snakemake.output.curve),
        watched,
    )
    write_json(snakemake.output.facts, facts)
