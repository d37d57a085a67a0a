"""Score every split a run is evaluated on: one parquet file each, and how long each took."""

import time
from pathlib import Path

from semblance import models
from semblance.data import rows
from semblance.evaluation import predictions
from semblance.files import whole_folder, write_json
from semblance.job import job

with job(snakemake), whole_folder(snakemake.output.scores) as folder:
    spec = snakemake.params.model
    model = models.kind(spec["kind"]).open(spec, Path(snakemake.input.model), snakemake.params.device)
    speed = {}
    for name, path in zip(snakemake.params.evaluate, snakemake.input.data, strict=True):
        pairs = rows.read(Path(path))
        started = time.perf_counter()
        scores = model.score(pairs)
        speed[name] = {"pairs": len(pairs), "seconds": round(time.perf_counter() - started, 3)}
        predictions.write(folder / f"{name.replace('/', '-')}.parquet", pairs, scores)
    write_json(snakemake.output.speed, speed)
