# Models that learn in one go, or are taken as they were fetched: no GPU, no epochs, no curve.
for job in NEEDS.jobs("fit.py"):

    rule:
        # Fits each run's model and saves it with its facts.
        name:
            f"train_{job.name}"
        input:
            origins=NEEDS.origins_elsewhere(job),
            data=LAYOUT.splits(NEEDS.training_data(job)),
            code=NEEDS.training_code(job),
        output:
            models=[directory(path) for path in NEEDS.of_each(job, "model")],
            facts=NEEDS.of_each(job, "facts.json"),
        log:
            f"{LAYOUT.logs}/runs/{job.paper}/{job.runs[0]}/seed-{{seed}}/train.log",
        conda:
            ENVIRONMENT
        threads: PROJECT.preset["threads"]
        resources:
            **asked(NEEDS.cost(job, "train")),
        params:
            origins=NEEDS.origins(job),
            specs=NEEDS.learnt(job),
            data=NEEDS.training_data(job),
            made_by=NEEDS.made_by(job),
            computing=COMPUTING,
            versions=VERSIONS["computing"],
        message:
            f"fitting {job.title} (seed {{wildcards.seed}})"
        script:
            "../workflow/scripts/fit.py"


# Models that the engine trains.
for job in NEEDS.jobs("train.py"):

    rule:
        # Builds each run's model, takes it through its stages, saves it with its curve, facts, and scores on the way.
        name:
            f"train_{job.name}"
        input:
            origins=NEEDS.origins_elsewhere(job),
            data=LAYOUT.splits(NEEDS.training_data(job)),
            code=NEEDS.training_code(job),
        output:
            models=[directory(path) for path in NEEDS.of_each(job, "model")],
            watched=[directory(path) for path in NEEDS.of_each(job, "watched")],
            learning=[directory(path) for path in NEEDS.of_each(job, "learning")],
            curves=NEEDS.of_each(job, "curve.csv"),
            facts=NEEDS.of_each(job, "facts.json"),
        log:
            f"{LAYOUT.logs}/runs/{job.paper}/{job.runs[0]}/seed-{{seed}}/train.log",
        # The longest first, lest at the end one core works and the others wait.
        priority: round(NEEDS.cost(job, "train").seconds)
        conda:
            ENVIRONMENT
        threads: PROJECT.preset["threads"]
        resources:
            **asked(NEEDS.cost(job, "train")),
            gpu=NEEDS.gpu(NEEDS.trains(job)) * NEEDS.processes(job),
        params:
            runs=job.runs,
            origins=NEEDS.origins(job),
            specs=NEEDS.learnt(job),
            data=NEEDS.training_data(job),
            made_by=NEEDS.made_by(job),
            computing=COMPUTING,
            versions=VERSIONS["computing"],
        message:
            f"training {job.title} (seed {{wildcards.seed}})"
        script:
            "../workflow/scripts/train.py"
