"""Train the runs of a job with one seed, one after another."""

from pathlib import Path

from semblance.checkpoints import forget
from semblance.errors import UserError
from semblance.files import whole_folder, write_json
from semblance.job import job
from semblance.provenance import stamp
from semblance.training.checkpoint import of_job
from semblance.training.run import train_run
from semblance.training.several import can_be_shared, train_in_several

with job(snakemake):
    data = dict(zip(snakemake.params.data, map(Path, snakemake.input.data), strict=True))
    seed = int(snakemake.wildcards.seed)
    processes = snakemake.resources.get("gpu", 0)
    # A run can start from a previous run of this job.
    origins = [Path(origin.replace("{seed}", str(seed))) for origin in snakemake.params.origins]
    for number, run in enumerate(snakemake.params.runs):
        model, watched = snakemake.output.models[number], snakemake.output.watched[number]
        made_by = stamp(snakemake.params.made_by[number])
        learning = snakemake.output.learning[number]
        with whole_folder(model) as folder, whole_folder(watched) as looks, whole_folder(learning) as learned:
            try:
                spec, curve = snakemake.params.specs[number], Path(snakemake.output.curves[number])
                given = (spec, seed, origins[number], data, snakemake.params.computing, made_by)
                given += (folder, curve, looks, learned)
                if processes > 1 and can_be_shared(spec):
                    facts = train_in_several(processes, *given)
                else:
                    facts = train_run(*given, of_job(snakemake, model))
            except UserError as problem:
                raise UserError(f"{run}: {problem}") from None
        write_json(snakemake.output.facts[number], {**facts, "made_by": made_by})
    # Only now, because Snakemake restarts the whole job if it is killed. Finished runs then resume at their end.
    for model in snakemake.output.models:
        forget(model)
