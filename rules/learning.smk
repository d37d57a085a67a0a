# Whether trained runs learned, in jobs of their own: what judges them is no reason to train or score them again.
for job in NEEDS.jobs():
    if NEEDS.own_tasks(job):

        rule:
            # Compares each run with its start and with the majority, on its own task: a file for each seed.
            name:
                f"judge_{job.name}"
            input:
                evidence=NEEDS.files(job.paper, NEEDS.of_learning(job)),
                code=modules("judge_learning.py"),
            output:
                NEEDS.learned(job),
            log:
                f"{LAYOUT.logs}/runs/{job.paper}/{job.runs[0]}/learned.log",
            conda:
                ENVIRONMENT
            resources:
                **LIGHT,
            params:
                tasks=NEEDS.own_tasks(job),
                places=NEEDS.places(job.paper, NEEDS.of_learning(job)),
                versions=VERSIONS["measuring"],
            message:
                f"judging what {job.title} learned"
            script:
                "../workflow/scripts/judge_learning.py"
