rule predict:
    """Score every split a run is evaluated on: one row an example, one file a split."""
    input:
        model=f"{RUN}/model",
        data=lambda w: STREET.splits(STREET.spec(w.paper, w.run)["evaluate"]),
        code=lambda w: STREET.prediction_code(w.paper, w.run),
    output:
        scores=directory(f"{RUN}/predictions"),
        speed=f"{RUN}/speed.json",
    log:
        f"{STREET.logs}/runs/{{paper}}/{{run}}/seed-{{seed}}/predict.log",
    benchmark:
        f"{STREET.benchmarks}/runs/{{paper}}/{{run}}/seed-{{seed}}/predict.jsonl"
    conda:
        ENVIRONMENT
    threads: PROJECT.preset["threads"]
    resources:
        gpu=lambda w: STREET.gpu(STREET.is_neural(w.paper, w.run)),
    params:
        model=lambda w: STREET.spec(w.paper, w.run)["model"],
        evaluate=lambda w: STREET.spec(w.paper, w.run)["evaluate"],
        device=COMPUTING["device"],
    message:
        "scoring with {wildcards.paper} {wildcards.run} (seed {wildcards.seed})"
    script:
        "../workflow/scripts/predict.py"
