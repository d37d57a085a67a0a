"""Train runs over one frozen encoder side by side, with one seed."""

from contextlib import ExitStack
from pathlib import Path

from semblance.files import whole_folder, write_json
from semblance.job import job
from semblance.provenance import stamp
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
            snakemake.params.computing,
            [whole.enter_context(whole_folder(path)) for path in snakemake.output.models],
            list(map(Path, snakemake.output.curves)),
            of_job(snakemake, snakemake.output.models[0]),
        )
    for path, found, made_by in zip(snakemake.output.facts, facts, snakemake.params.made_by, strict=True):
        write_json(path, {**found, "made_by": stamp(made_by)})
    forget(snakemake.output.models[0])
