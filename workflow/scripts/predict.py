"""Score every split a run is evaluated on: one parquet file each."""

from pathlib import Path

from semblance import models
from semblance.data import rows
from semblance.evaluation import predictions
from semblance.files import whole_folder
from semblance.job import job

with job(snakemake), whole_folder(snakemake.output[0]) as folder:
    spec = snakemake.params.model
    model = models.kind(spec["kind"]).open(spec, Path(snakemake.input.model), snakemake.params.device)
    for name, path in zip(snakemake.params.evaluate, snakemake.input.data, strict=True):
        pairs = rows.read(Path(path))
        predictions.write(folder / f"{name.replace('/', '-')}.parquet", pairs, model.score(pairs))
