rule make_encoder:
    """Provide an encoder: download it, pre-train a tiny one, or take it from the checkout or from a folder."""
    input:
        unpack(lambda w: WORK.encoder(w.encoder).inputs),
    output:
        folder=directory(f"{LAYOUT.results}/encoders/{{encoder}}/model"),
        facts=f"{LAYOUT.results}/encoders/{{encoder}}/facts.json",
        curve=f"{LAYOUT.results}/encoders/{{encoder}}/curve.csv",
    log:
        f"{LAYOUT.logs}/encoders/{{encoder}}.log",
    wildcard_constraints:
        encoder=without(PROJECT.encoders_used(), FETCHED_ENCODERS),
    # Before all runs, those first for which most runs wait.
    priority: lambda w: 10**8 + PROJECT.runs_waiting_for(w.encoder)
    conda:
        ENVIRONMENT
    threads: PROJECT.settings.threads
    resources:
        gpu=lambda w: WORK.encoder(w.encoder).gpus,
        mem_mb=lambda w, attempt: 6000 * attempt,  # Google's word vectors need 4200
        runtime=60,
    params:
        spec=lambda w: asdict(PROJECT.encoders[w.encoder]),
        data=lambda w: list(LAYOUT.splits(PROJECT.encoders.read_by(w.encoder)).values()),
        computing=lambda w: WORK.encoder(w.encoder).computing,
        code=lambda w: WORK.encoder(w.encoder).code,
        versions=VERSIONS["computing"],
    message:
        "making the encoder {wildcards.encoder}"
    script:
        "../workflow/scripts/make_encoder.py"


use rule make_encoder as fetch_encoder with:
    wildcard_constraints:
        encoder=only(FETCHED_ENCODERS),
    localrule: True
