# Runs over one frozen encoder: all that share its batches are trained side by side, and scored so in another job.
for job in STREET.jobs("train_side_by_side.py"):

    rule:
        # Trains every run's network over one pass of their encoder, and saves each with its curve and its facts.
        name:
            f"train_{job.name}"
        input:
            encoders=sorted(set(STREET.encoders(job))),
            data=STREET.splits(STREET.training_data(job)),
            code=STREET.training_code(job),
        output:
            models=[directory(path) for path in STREET.of_each(job, "model")],
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
            gpu=STREET.gpu(True),
        params:
            sets=job.places,
            encoders=STREET.encoders(job),
            specs=STREET.learnt(job),
            data=STREET.training_data(job),
            made_by=STREET.made_by(job),
            computing=COMPUTING,
            versions=VERSIONS["computing"],
        message:
            f"training {job.title} side by side (seed {{wildcards.seed}})"
        script:
            "../workflow/scripts/train_side_by_side.py"

    rule:
        # Scores the runs' splits, and times each network over what the encoder gives.
        name:
            f"predict_{job.name}"
        input:
            encoders=sorted(set(STREET.encoders(job))),
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
            gpu=STREET.gpu(True),
        params:
            specs=STREET.scored(job),
            sets=job.places,
            encoders=STREET.encoders(job),
            runs=job.runs,
            data=STREET.prediction_data(job),
            made_by=STREET.made_by(job),
            computing=COMPUTING,
            versions=VERSIONS["computing"],
        message:
            f"scoring with {job.title} side by side (seed {{wildcards.seed}})"
        script:
            "../workflow/scripts/predict_side_by_side.py"


for paper, figure, spec in STREET.figures_of_similarities():

    rule:
        # Compares the tokens of a figure's pairs, as the first seed's networks see them.
        name:
            f"compare_tokens_{paper}_{figure}"
        input:
            encoder=STREET.encoder_folder(STREET.spec(paper, spec["of"][0])["model"]["encoder"]),
            models=[f"{STREET.folders(paper, run)[0]}/model" for run in spec["of"]],
            data=STREET.splits([spec["on"]])[0],
            code=modules("compare_tokens.py"),
        output:
            STREET.similarities(paper, figure),
        log:
            f"{STREET.logs}/similarities/{paper}-{figure}.log",
        conda:
            ENVIRONMENT
        threads: PROJECT.preset["threads"]
        params:
            specs=[STREET.spec(paper, run)["model"] for run in spec["of"]],
            pairs=spec["pairs"],
            computing=COMPUTING,
            versions=VERSIONS["computing"],
        message:
            f"comparing tokens for {paper}-{figure}"
        script:
            "../workflow/scripts/compare_tokens.py"
