# Models that learn in one go, or are taken as they were fetched: no GPU, no epochs, no curve.
for job in STREET.jobs("fit.py"):

    rule:
        # Fits each run's model and saves it with its facts.
        name:
            f"train_{job.name}"
        input:
            origins=STREET.origins_elsewhere(job),
            data=STREET.splits(STREET.training_data(job)),
            code=STREET.training_code(job),
        output:
            models=[directory(path) for path in STREET.of_each(job, "model")],
            facts=STREET.of_each(job, "facts.json"),
        log:
            f"{STREET.logs}/runs/{job.paper}/{job.runs[0]}/seed-{{seed}}/train.log",
        conda:
            ENVIRONMENT
        threads: PROJECT.preset["threads"]
        resources:
            **asked(STREET.cost(job, "train")),
        params:
            origins=STREET.origins(job),
            specs=STREET.learnt(job),
            data=STREET.training_data(job),
            made_by=STREET.made_by(job),
            computing=COMPUTING,
            versions=VERSIONS["computing"],
        message:
            f"fitting {job.title} (seed {{wildcards.seed}})"
        script:
            "../workflow/scripts/fit.py"


# Models that the engine trains.
for job in STREET.jobs("train.py"):

    rule:
        # Builds each run's model, takes it through its stages, saves it with its curve, facts, and scores on the way.
        name:
            f"train_{job.name}"
        input:
            origins=STREET.origins_elsewhere(job),
            data=STREET.splits(STREET.training_data(job)),
            code=STREET.training_code(job),
        output:
            models=[directory(path) for path in STREET.of_each(job, "model")],
            watched=[directory(path) for path in STREET.of_each(job, "watched")],
            learning=[directory(path) for path in STREET.of_each(job, "learning")],
            curves=STREET.of_each(job, "curve.csv"),
            facts=STREET.of_each(job, "facts.json"),
        log:
            f"{STREET.logs}/runs/{job.paper}/{job.runs[0]}/seed-{{seed}}/train.log",
        # The longest first, lest at the end one core works and the others wait.
        priority: round(STREET.cost(job, "train").seconds)
        conda:
            ENVIRONMENT
        threads: PROJECT.preset["threads"]
        resources:
            **asked(STREET.cost(job, "train")),
            gpu=STREET.gpu(STREET.trains(job)) * STREET.processes(job),
        params:
            runs=job.runs,
            origins=STREET.origins(job),
            specs=STREET.learnt(job),
            data=STREET.training_data(job),
            made_by=STREET.made_by(job),
            computing=COMPUTING,
            versions=VERSIONS["computing"],
        message:
            f"training {job.title} (seed {{wildcards.seed}})"
        script:
            "../workflow/scripts/train.py"
