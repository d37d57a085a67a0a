for encoder in PROJECT.encoders_used():

    rule:
        # Fetches an encoder from where the configuration says, or pre-trains a tiny one.
        name:
            f"make_{encoder.replace('-', '_')}"
        input:
            **NEEDS.of_encoder(encoder),
        output:
            folder=directory(f"{LAYOUT.results}/encoders/{encoder}/model"),
            facts=f"{LAYOUT.results}/encoders/{encoder}/facts.json",
            curve=f"{LAYOUT.results}/encoders/{encoder}/curve.csv",
        log:
            f"{LAYOUT.logs}/encoders/{encoder}.log",
        # Before all runs: one that comes last lets a core wait for the runs on it. What most runs wait for comes first.
        priority: 10**8 + PROJECT.runs_waiting_for(encoder)
        localrule: PROJECT.encoder_spec(encoder)["kind"] == "hub"
        conda:
            ENVIRONMENT
        threads: PROJECT.preset["threads"]
        resources:
            gpu=NEEDS.gpu(PROJECT.encoder_spec(encoder)["kind"] == "generated"),
            mem_mb=4000,
            runtime=60,
        params:
            spec=PROJECT.encoder_spec(encoder),
            computing=COMPUTING,
            versions=VERSIONS["computing"],
        message:
            f"making the encoder {encoder}"
        script:
            "../workflow/scripts/make_encoder.py"
