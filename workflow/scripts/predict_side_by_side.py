"""Score the splits on which groups of runs are evaluated, with one pass of their frozen encoder per split."""

from collections.abc import Sequence
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


def score(runs: Sequence[int], encoder: Encoder, whole: ExitStack) -> None:
    """Score all splits with one group of runs and write their results.

    Args:
        runs: indices of the runs in the job.
        encoder: the encoder that they share.
        whole: context in which the folders of predictions are completed.
    """
    specs = {run: snakemake.params.specs[run] for run in runs}
    models = {run: Model.open(spec["model"], Path(snakemake.input.models[run]), encoder) for run, spec in specs.items()}
    folders = {run: whole.enter_context(whole_folder(snakemake.output.scores[run])) for run in runs}
    stamps = {run: stamp(snakemake.params.made_by[run]) for run in runs}
    speeds, scored = {run: {} for run in runs}, {run: [] for run in runs}
    max_length = specs[runs[0]]["model"]["max_length"]
    for name, path in zip(snakemake.params.data, snakemake.input.data, strict=True):
        asked = [run for run, spec in specs.items() if name in spec["evaluate"]]
        if not asked:
            continue
        pairs, examples = rows.read(Path(path)), sha256(path)
        tokens = PairTokens(encoder.tokenizer, pairs, max_length)
        times = [specs[run]["timing_repeats"] for run in asked]
        timed, encoding = timed_probabilities([models[run] for run in asked], times, encoder, tokens)
        for run, (found, seconds) in zip(asked, timed, strict=True):
            scored[run].append(scores(found, pairs.kind))
            made_by = {**stamps[run], "examples": examples}
            predictions.write(folders[run] / f"{name.replace('/', '-')}.parquet", pairs, scored[run][-1], made_by)
            speeds[run][name] = {
                "pairs": len(pairs),
                "seconds": round(seconds, 6),
                "encoding_seconds": round(encoding, 6),
            }
    for run, spec in specs.items():
        if not spec["may_collapse"]:
            require_differences(scored[run], snakemake.params.runs[run])
        write_json(snakemake.output.speeds[run], {"splits": speeds[run], "made_by": stamps[run]})


with job(snakemake):
    device = place(snakemake.params.computing)
    for runs, folder in zip(snakemake.params.sets, snakemake.params.encoders, strict=True):
        with ExitStack() as whole:
            score(runs, Encoder(Path(folder), device), whole)
