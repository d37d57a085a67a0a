"""Score the splits that runs are evaluated on: by run, one parquet file a split, and how long each took.

A run may be scored several times over, for the median of what that takes.
"""

import time
from pathlib import Path
from statistics import median

from semblance import models
from semblance.data import rows
from semblance.evaluation import predictions
from semblance.files import whole_folder, write_json
from semblance.job import job

with job(snakemake):
    splits = {
        name: rows.read(Path(path)) for name, path in zip(snakemake.params.data, snakemake.input.data, strict=True)
    }
    for number, spec in enumerate(snakemake.params.specs):
        kind, speed = models.kind(spec["model"]["kind"]), {}
        model = kind.open(spec["model"], Path(snakemake.input.models[number]), snakemake.params.device)
        with whole_folder(snakemake.output.scores[number]) as folder:
            for name in spec["evaluate"]:
                took = []
                for _ in range(spec["score_times"]):
                    started = time.perf_counter()
                    scores = model.score(splits[name])
                    took.append(time.perf_counter() - started)
                speed[name] = {"pairs": len(scores), "seconds": round(median(took), 3)}
                predictions.write(folder / f"{name.replace('/', '-')}.parquet", splits[name], scores)
        write_json(snakemake.output.speeds[number], speed)
