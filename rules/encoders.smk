def pretraining_data(wildcards):
    """The splits whose text an encoder is pre-trained on, where it is pre-trained on any."""
    corpus = PROJECT.encoder_spec(wildcards.encoder).get("corpus")
    return splits(corpus) if isinstance(corpus, list) else []


def encoder_to_start_from(wildcards):
    start = PROJECT.encoder_spec(wildcards.encoder).get("start_from")
    return [f"{RESULTS}/encoders/{start}/model"] if start else []


def encoder_code(wildcards):
    """The modules that make an encoder: a fetched one does not depend on the training engine."""
    made_here = PROJECT.encoder_spec(wildcards.encoder)["kind"] == "generated"
    plugins = ["objectives.pretraining", "objectives.in_batch_ranking"] if made_here else []
    return modules("make_encoder.py", *plugins)


rule make_encoder:
    """Fetch an encoder from where the configuration says, or pre-train a tiny one."""
    input:
        data=pretraining_data,
        start=encoder_to_start_from,
        code=encoder_code,
    output:
        folder=directory(f"{RESULTS}/encoders/{{encoder}}/model"),
        facts=f"{RESULTS}/encoders/{{encoder}}/facts.json",
        curve=f"{RESULTS}/encoders/{{encoder}}/curve.csv",
    log:
        f"{LOGS}/encoders/{{encoder}}.log",
    benchmark:
        f"{BENCHMARKS}/encoders/{{encoder}}.jsonl"
    params:
        spec=lambda w: PROJECT.encoder_spec(w.encoder),
        computing=COMPUTING,
        root=str(ROOT),
    threads: PROJECT.preset["threads"]
    resources:
        gpu=lambda w: gpu(PROJECT.encoder_spec(w.encoder)["kind"] == "generated"),
    conda:
        ENVIRONMENT
    message:
        "making the encoder {wildcards.encoder}"
    script:
        "../workflow/scripts/make_encoder.py"
