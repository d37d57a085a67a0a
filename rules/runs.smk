# A job is one run, or several that share a process; its name is that of its folder below runs/.
rule train:
    """Train the runs of a job with one seed: models, training curves, facts, and predictions on the way."""
    input:
        origins=lambda w: WORK.origin_inputs(seeded(w), w.seed),
        data=lambda w: LAYOUT.datasets_of(WORK.training_data(seeded(w))),
    output:
        directory(f"{LAYOUT.results}/runs/{{job}}/seed-{{seed}}/training"),
    log:
        f"{LAYOUT.logs}/runs/{{job}}/seed-{{seed}}/train.log",
    # The longest first, so that no core waits for it at the end.
    priority: lambda w: round(WORK.costs.training(seeded(w)).seconds)
    conda:
        ENVIRONMENT
    threads: PROJECT.settings.threads
    resources:
        runtime=runtime_of_training,
        mem_mb=memory(WORK.costs.training),
        gpu=lambda w: WORK.gpus(seeded(w)),
    params:
        trainer=lambda w: seeded(w).trainer,
        groups=lambda w: WORK.groups(seeded(w)),
        specs=lambda w: WORK.training_specs(seeded(w)),
        tasks=lambda w: WORK.tasks(seeded(w)),
        origins=lambda w: WORK.origins(seeded(w), w.seed),
        data=lambda w: LAYOUT.splits(WORK.training_data(seeded(w))),
        made_by=lambda w: WORK.made_by(seeded(w)),
        computing=COMPUTING,
        code=lambda w: WORK.training_code(seeded(w)),
        versions=VERSIONS["computing"],
    message:
        "training {wildcards.job} (seed {wildcards.seed})"
    script:
        "../workflow/scripts/train.py"


rule predict:
    """Score the splits on which the runs of a job are evaluated: one row per example, one file per run and split."""
    input:
        models=lambda w: WORK.trained(seeded(w), w.seed),
        encoders=lambda w: sorted(set(WORK.shared_encoders(seeded(w)).values())),
        data=lambda w: LAYOUT.datasets_of(WORK.scoring_data(seeded(w))),
    output:
        directory(f"{LAYOUT.results}/runs/{{job}}/seed-{{seed}}/predictions"),
    log:
        f"{LAYOUT.logs}/runs/{{job}}/seed-{{seed}}/predict.log",
    priority: lambda w: round(WORK.costs.scoring(seeded(w)).seconds)
    conda:
        ENVIRONMENT
    threads: PROJECT.settings.threads
    resources:
        runtime=runtime(WORK.costs.scoring),
        mem_mb=memory(WORK.costs.scoring),
        gpu=lambda w: WORK.gpus(seeded(w)),
    params:
        trainer=lambda w: seeded(w).trainer,
        groups=lambda w: WORK.groups(seeded(w)),
        specs=lambda w: WORK.scoring_specs(seeded(w)),
        models=lambda w: WORK.models(seeded(w), w.seed),
        encoders=lambda w: WORK.shared_encoders(seeded(w)),
        data=lambda w: LAYOUT.splits(WORK.scoring_data(seeded(w))),
        made_by=lambda w: WORK.made_by(seeded(w)),
        computing=COMPUTING,
        code=lambda w: WORK.scoring_code(seeded(w)),
        versions=VERSIONS["computing"],
    message:
        "scoring with {wildcards.job} (seed {wildcards.seed})"
    script:
        "../workflow/scripts/predict.py"


rule judge_learning:
    """Compare the trained runs of a job with their starts and with the majority, on their own tasks."""
    input:
        evidence=lambda w: NEEDS.files(WORK.jobs[w.job].paper, NEEDS.of_learning(WORK.jobs[w.job])),
    output:
        f"{LAYOUT.results}/runs/{{job}}/learned.json",
    log:
        f"{LAYOUT.logs}/runs/{{job}}/learned.log",
    conda:
        ENVIRONMENT
    resources:
        **LIGHT,
    params:
        tasks=lambda w: NEEDS.own_tasks(WORK.jobs[w.job]),
        seeds=lambda w: NEEDS.seeds(WORK.jobs[w.job]),
        places=lambda w: NEEDS.places(WORK.jobs[w.job].paper, NEEDS.of_learning(WORK.jobs[w.job])),
        code=digest("judge_learning.py"),
        versions=VERSIONS["measuring"],
    message:
        "judging what {wildcards.job} learned"
    script:
        "../workflow/scripts/judge_learning.py"


rule compare_tokens:
    """Compute the similarities of tokens of a figure's pairs, with the first seed's networks."""
    input:
        encoder=lambda w: NEEDS.tokens_of_figure(w.paper, w.item)["encoder"],
        models=lambda w: NEEDS.tokens_of_figure(w.paper, w.item)["jobs"],
        data=lambda w: LAYOUT.datasets_of([PROJECT.papers[w.paper].figure(w.item).on]),
    output:
        f"{LAYOUT.results}/similarities/{{paper}}-{{item}}.json",
    log:
        f"{LAYOUT.logs}/similarities/{{paper}}-{{item}}.log",
    conda:
        ENVIRONMENT
    threads: PROJECT.settings.threads
    params:
        models=lambda w: NEEDS.tokens_of_figure(w.paper, w.item)["models"],
        data=lambda w: LAYOUT.splits([PROJECT.papers[w.paper].figure(w.item).on]).popitem()[1],
        pairs=lambda w: PROJECT.papers[w.paper].figure(w.item).pairs,
        computing=COMPUTING | {"device": "cpu"},  # a few pairs: no GPU to wait for
        code=digest("compare_tokens.py"),
        versions=VERSIONS["computing"],
    message:
        "comparing tokens for {wildcards.paper}-{wildcards.item}"
    script:
        "../workflow/scripts/compare_tokens.py"
