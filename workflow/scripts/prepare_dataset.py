"""Prepare one dataset: every split as parquet, and the facts of what was read."""

from pathlib import Path

from semblance.data.prepare import prepare
from semblance.job import job

with job(snakemake):
    outputs = dict(zip(snakemake.params.spec["splits"], map(Path, snakemake.output.splits), strict=True))
    prepare(
        snakemake.params.dataset,
        snakemake.params.spec,
        outputs,
        Path(snakemake.output.facts),
    )
