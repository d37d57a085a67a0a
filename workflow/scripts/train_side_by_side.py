"""Train runs over one frozen encoder side by side, with one seed."""

from contextlib import ExitStack
from pathlib import Path

from semblance.files import whole_folder, write_json
from semblance.job import job
from semblance.training.checkpoint import of_job
from semblance.training.side_by_side import train_runs
from semblance.unfinished import forget

with job(snakemake):
    with ExitStack() as whole:
        facts = train_runs(
            snakemake.params.specs,
            int(snakemake.wildcards.seed),
            Path(snakemake.input.encoder),
            dict(zip(snakemake.params.data, map(Path, snakemake.input.data), strict=True)),
            {**snakemake.params.computing, "threads": snakemake.threads},
            [whole.enter_context(whole_folder(path)) for path in snakemake.output.models],
            list(map(Path, snakemake.output.curves)),
            of_job(snakemake, snakemake.output.models[0]),
        )
    for path, found in zip(snakemake.output.facts, facts, strict=True):
        write_json(path, found)
    forget(snakemake.output.models[0])
