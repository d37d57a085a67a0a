# Whether trained runs learned, in jobs of their own: what judges them is no reason to train or score them again.
for job in STREET.jobs():
    if STREET.own_tasks(job):

        rule:
            # Compares each run with its start and with the majority, on its own task: a file for each seed.
            name:
                f"judge_{job.name}"
            input:
                evidence=STREET.files(job.paper, STREET.needs_of_learning(job)),
                code=modules("judge_learning.py"),
            output:
                STREET.learned(job),
            log:
                f"{STREET.logs}/runs/{job.paper}/{job.runs[0]}/learned.log",
            conda:
                ENVIRONMENT
            resources:
                **LIGHT,
            params:
                tasks=STREET.own_tasks(job),
                places=STREET.places(job.paper, STREET.needs_of_learning(job)),
                versions=VERSIONS["measuring"],
            message:
                f"judging what {job.title} learned"
            script:
                "../workflow/scripts/judge_learning.py"
