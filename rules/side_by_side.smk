# Runs over one frozen encoder: all that share its batches are trained side by side, and scored so in another job.
for job in NEEDS.jobs("train_side_by_side.py"):

    rule:
        # Trains every run's network over one pass of their encoder, and saves each with its curve and its facts.
        name:
            f"train_{job.name}"
        input:
            encoders=sorted(set(NEEDS.encoders(job))),
            data=LAYOUT.splits(NEEDS.training_data(job)),
            code=NEEDS.training_code(job),
        output:
            models=[directory(path) for path in NEEDS.of_each(job, "model")],
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
            gpu=NEEDS.gpu(True),
        params:
            sets=job.places,
            encoders=NEEDS.encoders(job),
            specs=NEEDS.learnt(job),
            data=NEEDS.training_data(job),
            made_by=NEEDS.made_by(job),
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
            encoders=sorted(set(NEEDS.encoders(job))),
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
            gpu=NEEDS.gpu(True),
        params:
            specs=NEEDS.scored(job),
            sets=job.places,
            encoders=NEEDS.encoders(job),
            runs=job.runs,
            data=NEEDS.prediction_data(job),
            made_by=NEEDS.made_by(job),
            computing=COMPUTING,
            versions=VERSIONS["computing"],
        message:
            f"scoring with {job.title} side by side (seed {{wildcards.seed}})"
        script:
            "../workflow/scripts/predict_side_by_side.py"


for paper, figure, spec in NEEDS.figures_of_similarities():

    rule:
        # Compares the tokens of a figure's pairs, as the first seed's networks see them.
        name:
            f"compare_tokens_{paper}_{figure}"
        input:
            encoder=LAYOUT.encoder_folder(NEEDS.spec(paper, spec["of"][0])["model"]["encoder"]),
            models=[f"{LAYOUT.folders(paper, run)[0]}/model" for run in spec["of"]],
            data=LAYOUT.splits([spec["on"]])[0],
            code=modules("compare_tokens.py"),
        output:
            LAYOUT.similarities(paper, figure),
        log:
            f"{LAYOUT.logs}/similarities/{paper}-{figure}.log",
        conda:
            ENVIRONMENT
        threads: PROJECT.preset["threads"]
        params:
            specs=[NEEDS.spec(paper, run)["model"] for run in spec["of"]],
            pairs=spec["pairs"],
            computing=COMPUTING,
            versions=VERSIONS["computing"],
        message:
            f"comparing tokens for {paper}-{figure}"
        script:
            "../workflow/scripts/compare_tokens.py"
