"""Judge whether the trained runs of a job learned their own tasks: by run, one judgement per seed."""

from dataclasses import asdict

from semblance.evaluation.evidence import Evidence
from semblance.evaluation.learning import judge
from semblance.files import write_json
from semblance.job import job
from semblance.progress import bar
from semblance.specs.places import Places
from semblance.specs.run import TaskSpec
from semblance.specs.typed import typed

with job(snakemake):
    evidence, found = Evidence(typed(Places, snakemake.params.places)), {}
    for run, task in bar(snakemake.params.tasks.items(), what="judging", unit="run"):
        task = typed(TaskSpec, task)
        found[run] = list(map(asdict, judge(task, run, evidence, snakemake.params.seeds[run])))
    write_json(snakemake.output[0], found)
