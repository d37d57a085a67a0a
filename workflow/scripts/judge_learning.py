"""Judge whether trained runs learned their own tasks; write one file per run and seed."""

from semblance.evaluation.evidence import Evidence
from semblance.evaluation.learning import judge
from semblance.files import write_json
from semblance.job import job
from semblance.progress import bar

with job(snakemake):
    evidence, outputs = Evidence(snakemake.params.places), iter(snakemake.output)
    for run, task in bar(snakemake.params.tasks.items(), what="judging", unit="run"):
        made_by = evidence.made_by(run, task["on"])
        for found in judge(task, run, evidence):
            write_json(next(outputs), {**found, "made_by": made_by})
