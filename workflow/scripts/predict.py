"""Score the splits on which runs are evaluated: one parquet file per run and split, and the time each takes.

A split is scored `timing_repeats` times, and the median time is recorded.
"""

import time
from pathlib import Path
from statistics import median

from semblance import models
from semblance.data import rows
from semblance.evaluation import predictions
from semblance.evaluation.collapse import require_differences
from semblance.files import sha256, whole_folder, write_json
from semblance.job import job
from semblance.provenance import stamp

with job(snakemake):
    files = dict(zip(snakemake.params.data, snakemake.input.data, strict=True))
    splits = {name: rows.read(Path(path)) for name, path in files.items()}
    examples = {name: sha256(path) for name, path in files.items()}
    for number, spec in enumerate(snakemake.params.specs):
        kind, speed, found = models.kind(spec["model"]["kind"]), {}, []
        made_by = stamp(snakemake.params.made_by[number])
        model = kind.open(spec["model"], Path(snakemake.input.models[number]), snakemake.params.computing["device"])
        with whole_folder(snakemake.output.scores[number]) as folder:
            for name in spec["evaluate"]:
                took = []
                for _ in range(spec["timing_repeats"]):
                    started = time.perf_counter()
                    scores = models.scores(model, splits[name])
                    took.append(time.perf_counter() - started)
                found.append(scores)
                speed[name] = {"pairs": len(scores), "seconds": round(median(took), 6)}
                file = folder / f"{name.replace('/', '-')}.parquet"
                predictions.write(file, splits[name], scores, {**made_by, "examples": examples[name]})
            if not spec["may_collapse"]:
                require_differences(found, snakemake.params.runs[number])
        write_json(snakemake.output.speeds[number], {"splits": speed, "made_by": made_by})
