"""Prepare one dataset: each split as parquet, and facts about the source."""

from semblance.data.prepare import prepare
from semblance.files import whole_folder
from semblance.job import job
from semblance.specs.data import SOURCES, DatasetSpec
from semblance.specs.typed import typed

with job(snakemake), whole_folder(snakemake.output[0]) as folder:
    source = snakemake.params.source
    spec = typed(DatasetSpec, snakemake.params.spec)
    prepare(snakemake.wildcards.dataset, spec, typed(SOURCES[source["kind"]], source), folder)
