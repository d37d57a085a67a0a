"""Score the splits that runs over one frozen encoder are evaluated on, in one pass of the encoder a split."""

from contextlib import ExitStack
from pathlib import Path

from semblance.data import rows
from semblance.evaluation import predictions
from semblance.evaluation.collapse import require_differences
from semblance.files import sha256, whole_folder, write_json
from semblance.job import job
from semblance.models.siamese_3d import Model, scores
from semblance.models.siamese_3d.frozen import Encoder, PairTokens
from semblance.models.siamese_3d.timing import timed_probabilities
from semblance.provenance import stamp
from semblance.training.device import place

with job(snakemake), ExitStack() as whole:
    specs = snakemake.params.specs
    encoder = Encoder(Path(snakemake.input.encoder), place(snakemake.params.computing))
    models = [Model.open(spec["model"], Path(folder), encoder) for spec, folder in zip(specs, snakemake.input.models)]
    folders = [whole.enter_context(whole_folder(path)) for path in snakemake.output.scores]
    speeds, scored = [{} for _ in specs], [[] for _ in specs]
    stamps = list(map(stamp, snakemake.params.made_by))
    for name, path in zip(snakemake.params.data, snakemake.input.data, strict=True):
        pairs = rows.read(Path(path))
        tokens = PairTokens(encoder.tokenizer, pairs, specs[0]["model"]["max_length"])
        asked = [number for number, spec in enumerate(specs) if name in spec["evaluate"]]
        times = [specs[number]["score_times"] for number in asked]
        timed, encoding = timed_probabilities([models[number] for number in asked], times, encoder, tokens)
        for number, (found, seconds) in zip(asked, timed, strict=True):
            file = folders[number] / f"{name.replace('/', '-')}.parquet"
            made_by = {**stamps[number], "examples": sha256(path)}
            scored[number].append(scores(found, pairs.kind))
            predictions.write(file, pairs, scored[number][-1], made_by)
            speeds[number][name] = {
                "pairs": len(pairs),
                "seconds": round(seconds, 4),
                "encoding_seconds": round(encoding, 4),
            }
    for run, spec, found in zip(snakemake.params.runs, specs, scored, strict=True):
        if not spec["may_collapse"]:
            require_differences(found, run)
    for path, speed, made_by in zip(snakemake.output.speeds, speeds, stamps, strict=True):
        write_json(path, {"splits": speed, "made_by": made_by})
