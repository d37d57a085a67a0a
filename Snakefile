# semblance: five sentence-similarity papers, from data to every table and figure.
# `snakemake --cores all` runs what config/config.yaml says; README.md has the rest.
from snakemake.utils import min_version

min_version("9.27")  # a rule's priority can be a function


# Beside this file, wherever Snakemake was started.
configfile: os.path.join(str(workflow.current_basedir), "config/config.yaml")


report: "resources/report/workflow.rst"


include: "rules/common.smk"
include: "rules/data.smk"
include: "rules/encoders.smk"
include: "rules/runs.smk"
include: "rules/report.smk"
include: "rules/plan.smk"


onstart:
    # Snakemake 9.27 limits jobs to 100 per second. For that it wakes its scheduler again one second after each time it
    # wakes, so that after a hundred jobs it takes half a core. This is private state: another version of Snakemake may
    # not have it, and is only slower.
    limiter = getattr(getattr(workflow, "scheduler", None), "job_rate_limiter", None)
    if (getattr(limiter, "max_jobs", None), getattr(limiter, "timespan", None)) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


rule all:
    default_target: True
    input:
        f"{LAYOUT.results}/report.html",
        f"{LAYOUT.results}/results.json",
