"""Train groups of runs over a frozen encoder with one seed, one group after another."""

from contextlib import ExitStack
from pathlib import Path

from semblance.checkpoints import forget
from semblance.files import whole_folder, write_json
from semblance.job import job
from semblance.provenance import stamp
from semblance.training.checkpoint import of_job
from semblance.training.side_by_side import train_runs

with job(snakemake):
    data = dict(zip(snakemake.params.data, map(Path, snakemake.input.data), strict=True))
    for places, encoder in zip(snakemake.params.sets, snakemake.params.encoders, strict=True):
        with ExitStack() as whole:
            facts = train_runs(
                [snakemake.params.specs[place] for place in places],
                int(snakemake.wildcards.seed),
                Path(encoder),
                data,
                snakemake.params.computing,
                [stamp(snakemake.params.made_by[place]) for place in places],
                [whole.enter_context(whole_folder(snakemake.output.models[place])) for place in places],
                [Path(snakemake.output.curves[place]) for place in places],
                [whole.enter_context(whole_folder(snakemake.output.learning[place])) for place in places],
                of_job(snakemake, snakemake.output.models[places[0]]),
            )
        for place, found in zip(places, facts, strict=True):
            write_json(snakemake.output.facts[place], {**found, "made_by": stamp(snakemake.params.made_by[place])})
    # Only now, because Snakemake restarts the whole job if it is killed.
    for first, *_ in snakemake.params.sets:
        forget(snakemake.output.models[first])
