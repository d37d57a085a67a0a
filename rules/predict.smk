rule predict:
    """Score every split a run is evaluated on: one row an example, one file a split."""
    input:
        model=f"{RUN}/model",
        data=lambda w: splits(spec_of(w)["evaluate"]),
        code=lambda w: modules("predict.py", model_module(spec_of(w))),
    output:
        directory(f"{RUN}/predictions"),
    log:
        f"{LOGS}/runs/{{paper}}/{{run}}/seed-{{seed}}/predict.log",
    benchmark:
        f"{BENCHMARKS}/runs/{{paper}}/{{run}}/seed-{{seed}}/predict.jsonl"
    params:
        model=lambda w: spec_of(w)["model"],
        evaluate=lambda w: spec_of(w)["evaluate"],
        device=COMPUTING["device"],
    threads: PROJECT.preset["threads"]
    resources:
        gpu=lambda w: gpu(spec_of(w)["model"]["kind"] in ("bi-encoder", "cross-encoder")),
    conda:
        ENVIRONMENT
    message:
        "scoring with {wildcards.paper} {wildcards.run} (seed {wildcards.seed})"
    script:
        "../workflow/scripts/predict.py"
