rule train:
    """Build a run's model, take it through its stages, and save it with its curve, facts, and scores on the way."""
    input:
        origin=lambda w: STREET.origin(w.paper, w.run, w.seed),
        data=lambda w: STREET.splits(PROJECT.inputs_of_run(w.paper, w.run)),
        code=lambda w: STREET.training_code(w.paper, w.run),
    output:
        model=directory(f"{RUN}/model"),
        curve=f"{RUN}/curve.csv",
        watched=directory(f"{RUN}/watched"),
        facts=f"{RUN}/facts.json",
    log:
        f"{STREET.logs}/runs/{{paper}}/{{run}}/seed-{{seed}}/train.log",
    benchmark:
        f"{STREET.benchmarks}/runs/{{paper}}/{{run}}/seed-{{seed}}/train.jsonl"
    conda:
        ENVIRONMENT
    threads: PROJECT.preset["threads"]
    resources:
        gpu=lambda w: STREET.gpu(STREET.spec(w.paper, w.run)["stages"]),
    params:
        spec=lambda w: {key: STREET.spec(w.paper, w.run)[key] for key in ("start_from", "model", "stages")},
        data=lambda w: PROJECT.inputs_of_run(w.paper, w.run),
        computing=COMPUTING,
    message:
        "training {wildcards.paper} {wildcards.run} (seed {wildcards.seed})"
    script:
        "../workflow/scripts/train.py"
