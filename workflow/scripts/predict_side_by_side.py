"""Score the splits that runs over one frozen encoder are evaluated on, in one pass of the encoder a split."""

from contextlib import ExitStack
from pathlib import Path

from semblance.data import rows
from semblance.evaluation import predictions
from semblance.files import whole_folder, write_json
from semblance.job import job
from semblance.models.siamese_3d import Model, scores
from semblance.models.siamese_3d.frozen import Encoder, PairTokens
from semblance.models.siamese_3d.timing import timed_probabilities
from semblance.training.device import choose

with job(snakemake), ExitStack() as whole:
    specs = snakemake.params.specs
    encoder = Encoder(Path(snakemake.input.encoder), choose(snakemake.params.device))
    models = [Model.open(spec["model"], Path(folder), encoder) for spec, folder in zip(specs, snakemake.input.models)]
    folders = [whole.enter_context(whole_folder(path)) for path in snakemake.output.scores]
    speeds = [{} for _ in specs]
    for name, path in zip(snakemake.params.data, snakemake.input.data, strict=True):
        pairs = rows.read(Path(path))
        tokens = PairTokens(encoder.tokenizer, pairs, specs[0]["model"]["max_length"])
        asked = [number for number, spec in enumerate(specs) if name in spec["evaluate"]]
        times = [specs[number]["score_times"] for number in asked]
        timed, encoding = timed_probabilities([models[number] for number in asked], times, encoder, tokens)
        for number, (found, seconds) in zip(asked, timed, strict=True):
            file = folders[number] / f"{name.replace('/', '-')}.parquet"
            predictions.write(file, pairs, scores(found, pairs.kind))
            speeds[number][name] = {
                "pairs": len(pairs),
                "seconds": round(seconds, 4),
                "encoding_seconds": round(encoding, 4),
            }
    for path, speed in zip(snakemake.output.speeds, speeds, strict=True):
        write_json(path, speed)
