"""Fit the runs of a job with one seed: models that are fitted in one call, or used without training."""

from pathlib import Path

from semblance.files import whole_folder, write_json
from semblance.job import job
from semblance.models.fit import fit_run
from semblance.provenance import stamp

with job(snakemake):
    data = dict(zip(snakemake.params.data, map(Path, snakemake.input.data), strict=True))
    for number, spec in enumerate(snakemake.params.specs):
        origin, seed = snakemake.params.origins[number], int(snakemake.wildcards.seed)
        with whole_folder(snakemake.output.models[number]) as folder:
            facts = fit_run(spec, seed, origin and Path(origin), data, snakemake.params.computing["threads"], folder)
        write_json(snakemake.output.facts[number], {**facts, "made_by": stamp(snakemake.params.made_by[number])})
