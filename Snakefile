# semblance: five sentence-similarity papers, from data to every table and figure.
# `snakemake --cores all` runs what config/config.yaml says; README.md has the rest.
from snakemake.utils import min_version

min_version("9.0")


# Beside this file, wherever Snakemake was started.
configfile: os.path.join(str(workflow.current_basedir), "config/config.yaml")


report: "resources/report/workflow.rst"


include: "rules/common.smk"
include: "rules/data.smk"
include: "rules/encoders.smk"
include: "rules/train.smk"
include: "rules/predict.smk"
include: "rules/side_by_side.smk"
include: "rules/learning.smk"
include: "rules/report.smk"
include: "rules/plan.smk"


onstart:
    # Snakemake (9.27) limits jobs to 100 a second by waking its scheduler a second after every time it wakes, over and
    # over for every job that ended: by the hundredth, that takes half a core. Jobs of seconds need no such limit.
    limiter = workflow.scheduler.job_rate_limiter
    if limiter and (limiter.max_jobs, limiter.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


rule all:
    default_target: True
    input:
        f"{LAYOUT.results}/report.html",
        f"{LAYOUT.results}/results.json",
