def encoder_rule_inputs(spec):
    """The prepared text an encoder is pre-trained on and the encoder it starts from, where it has any."""
    corpus, start = spec.get("corpus"), spec.get("start_from")
    return {
        "data": splits(corpus) if isinstance(corpus, list) else [],
        "start": [f"{RESULTS}/encoders/{start}/model"] if start else [],
        # A fetched encoder does not depend on what trains the others.
        "code": modules(
            "make_encoder.py",
            *(["objectives.pretraining", "objectives.in_batch_ranking"] if spec["kind"] == "generated" else []),
        ),
    }


for encoder in PROJECT.encoders_used():

    rule:
        # Fetches an encoder from where the configuration says, or pre-trains a tiny one.
        name:
            f"make_{encoder}"
        input:
            **encoder_rule_inputs(PROJECT.encoder_spec(encoder)),
        output:
            folder=directory(f"{RESULTS}/encoders/{encoder}/model"),
            facts=f"{RESULTS}/encoders/{encoder}/facts.json",
            curve=f"{RESULTS}/encoders/{encoder}/curve.csv",
        log:
            f"{LOGS}/encoders/{encoder}.log",
        benchmark:
            f"{BENCHMARKS}/encoders/{encoder}.jsonl"
        params:
            spec=PROJECT.encoder_spec(encoder),
            computing=COMPUTING,
            root=str(ROOT),
        threads: PROJECT.preset["threads"]
        # What most runs wait for comes first.
        priority: PROJECT.runs_waiting_for(encoder)
        resources:
            gpu=gpu(PROJECT.encoder_spec(encoder)["kind"] == "generated"),
        conda:
            ENVIRONMENT
        message:
            f"making the encoder {encoder}"
        script:
            "../workflow/scripts/make_encoder.py"
