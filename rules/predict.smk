for job in NEEDS.jobs("predict.py"):

    rule:
        # Scores every split a run is evaluated on: one row an example, one file a split.
        name:
            f"predict_{job.name}"
        input:
            models=NEEDS.of_each(job, "model"),
            data=LAYOUT.splits(NEEDS.prediction_data(job)),
            code=NEEDS.prediction_code(job),
        output:
            scores=[directory(path) for path in NEEDS.of_each(job, "predictions")],
            speeds=NEEDS.of_each(job, "speed.json"),
        log:
            f"{LAYOUT.logs}/runs/{job.paper}/{job.runs[0]}/seed-{{seed}}/predict.log",
        # As in training.
        priority: round(NEEDS.cost(job, "predict").seconds)
        conda:
            ENVIRONMENT
        threads: PROJECT.preset["threads"]
        resources:
            **asked(NEEDS.cost(job, "predict")),
            gpu=NEEDS.gpu(job.neural),
        params:
            specs=NEEDS.scored(job),
            runs=job.runs,
            data=NEEDS.prediction_data(job),
            made_by=NEEDS.made_by(job),
            computing=COMPUTING,
            versions=VERSIONS["computing"],
        message:
            f"scoring with {job.title} (seed {{wildcards.seed}})"
        script:
            "../workflow/scripts/predict.py"
