"""Prepare one dataset: each split as parquet, and facts about the source."""

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
