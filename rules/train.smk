RUN = f"{RESULTS}/runs/{{paper}}/{{run}}/seed-{{seed}}"


def training_data(wildcards):
    return splits(PROJECT.inputs_of_run(wildcards.paper, wildcards.run))


def origin(wildcards):
    """The model folder a run starts from: another run's of the same seed, an encoder's, or none."""
    spec = spec_of(wildcards)
    if spec["start_from"]:
        return [f"{RESULTS}/runs/{wildcards.paper}/{spec['start_from']}/seed-{wildcards.seed}/model"]
    return [f"{RESULTS}/encoders/{spec['model']['encoder']}/model"] if "encoder" in spec["model"] else []


def training_code(wildcards):
    """The engine, the run's own kind of model and its own objectives: no other run's."""
    spec = spec_of(wildcards)
    objectives = [f"objectives.{stage['objective'].replace('-', '_')}" for stage in spec["stages"]]
    return modules("train.py", model_module(spec), *objectives)


def model_module(spec):
    return f"models.{spec['model']['kind'].replace('-', '_')}"


rule train:
    """Build a run's model, take it through its stages, and save it with its curve and its facts."""
    input:
        origin=origin,
        data=training_data,
        code=training_code,
    output:
        model=directory(f"{RUN}/model"),
        curve=f"{RUN}/curve.csv",
        facts=f"{RUN}/facts.json",
    log:
        f"{LOGS}/runs/{{paper}}/{{run}}/seed-{{seed}}/train.log",
    benchmark:
        f"{BENCHMARKS}/runs/{{paper}}/{{run}}/seed-{{seed}}/train.jsonl"
    params:
        spec=lambda w: {key: spec_of(w)[key] for key in ("start_from", "model", "stages")},
        data=lambda w: PROJECT.inputs_of_run(w.paper, w.run),
        computing=COMPUTING,
    threads: PROJECT.preset["threads"]
    resources:
        gpu=lambda w: gpu(spec_of(w)["stages"]),
    conda:
        ENVIRONMENT
    message:
        "training {wildcards.paper} {wildcards.run} (seed {wildcards.seed})"
    script:
        "../workflow/scripts/train.py"
