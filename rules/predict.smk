for job in STREET.jobs("predict.py"):

    rule:
        # Scores every split a run is evaluated on: one row an example, one file a split.
        name:
            f"predict_{job.name}"
        input:
            models=STREET.of_each(job, "model"),
            data=STREET.splits(STREET.prediction_data(job)),
            code=STREET.prediction_code(job),
        output:
            scores=[directory(path) for path in STREET.of_each(job, "predictions")],
            speeds=STREET.of_each(job, "speed.json"),
        log:
            f"{STREET.logs}/runs/{job.paper}/{job.runs[0]}/seed-{{seed}}/predict.log",
        # As in training.
        priority: round(STREET.cost(job, "predict").seconds)
        conda:
            ENVIRONMENT
        threads: PROJECT.preset["threads"]
        resources:
            **asked(STREET.cost(job, "predict")),
            gpu=STREET.gpu(job.neural),
        params:
            specs=STREET.scored(job),
            runs=job.runs,
            data=STREET.prediction_data(job),
            made_by=STREET.made_by(job),
            computing=COMPUTING,
            versions=VERSIONS["computing"],
        message:
            f"scoring with {job.title} (seed {{wildcards.seed}})"
        script:
            "../workflow/scripts/predict.py"
