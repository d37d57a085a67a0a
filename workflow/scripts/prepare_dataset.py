"""Prepare one dataset: each split as parquet, and facts about the source."""

from semblance.data.prepare import prepare
from semblance.files import whole_folder
from semblance.job import job

with job(snakemake), whole_folder(snakemake.output[0]) as folder:
    prepare(snakemake.wildcards.dataset, snakemake.params.spec, folder)
