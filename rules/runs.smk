# A job is one run, or several that share a process; its name is that of its folder below runs/.
rule train:
    """Train the runs of a job with one seed: models, training curves, facts, and predictions on the way."""
    input:
        origins=lambda w: seeded(w).origin_inputs,
        data=lambda w: LAYOUT.datasets_of(seeded(w).training_data),
    output:
        directory(f"{LAYOUT.results}/runs/{{job}}/seed-{{seed}}/training"),
    log:
        f"{LAYOUT.logs}/runs/{{job}}/seed-{{seed}}/train.log",
    # The longest first, so that no core waits for it at the end.
    priority: lambda w: round(seeded(w).training_cost.seconds)
    conda:
        ENVIRONMENT
    threads: PROJECT.settings.threads
    resources:
        # Training goes on from its last checkpoint; only what is fitted starts again, and may need longer.
        runtime=lambda w, attempt: runtime(seeded(w).training_cost, attempt if seeded(w).trainer == "fit" else 1),
        mem_mb=lambda w, attempt: memory(seeded(w).training_cost, attempt),
        gpu=lambda w: seeded(w).gpus,
    params:
        trainer=lambda w: seeded(w).trainer,
        groups=lambda w: seeded(w).groups,
        specs=lambda w: seeded(w).training_specs,
        tasks=lambda w: seeded(w).tasks,
        origins=lambda w: seeded(w).origins,
        data=lambda w: LAYOUT.splits(seeded(w).training_data),
        made_by=lambda w: seeded(w).made_by,
        computing=COMPUTING,
        code=lambda w: seeded(w).training_code,
        versions=VERSIONS["computing"],
    message:
        "training {wildcards.job} (seed {wildcards.seed})"
    script:
        "../workflow/scripts/train.py"


rule predict:
    """Score the splits on which the runs of a job are evaluated: one row per example, one file per run and split."""
    input:
        models=lambda w: seeded(w).trained,
        encoders=lambda w: sorted(set(seeded(w).shared_encoders.values())),
        data=lambda w: LAYOUT.datasets_of(seeded(w).scoring_data),
    output:
        directory(f"{LAYOUT.results}/runs/{{job}}/seed-{{seed}}/predictions"),
    log:
        f"{LAYOUT.logs}/runs/{{job}}/seed-{{seed}}/predict.log",
    priority: lambda w: round(seeded(w).scoring_cost.seconds)
    conda:
        ENVIRONMENT
    threads: PROJECT.settings.threads
    resources:
        runtime=lambda w, attempt: runtime(seeded(w).scoring_cost, attempt),
        mem_mb=lambda w, attempt: memory(seeded(w).scoring_cost, attempt),
        gpu=lambda w: seeded(w).gpus,
    params:
        trainer=lambda w: seeded(w).trainer,
        groups=lambda w: seeded(w).groups,
        specs=lambda w: seeded(w).scoring_specs,
        models=lambda w: seeded(w).models,
        encoders=lambda w: seeded(w).shared_encoders,
        data=lambda w: LAYOUT.splits(seeded(w).scoring_data),
        made_by=lambda w: seeded(w).made_by,
        computing=COMPUTING,
        code=lambda w: seeded(w).scoring_code,
        versions=VERSIONS["computing"],
    message:
        "scoring with {wildcards.job} (seed {wildcards.seed})"
    script:
        "../workflow/scripts/predict.py"


rule judge_learning:
    """Compare the trained runs of a job with their starts and with the majority, on their own tasks."""
    input:
        evidence=lambda w: NEEDS.learning(WORK.jobs[w.job]).files,
    output:
        f"{LAYOUT.results}/runs/{{job}}/learned.json",
    log:
        f"{LAYOUT.logs}/runs/{{job}}/learned.log",
    conda:
        ENVIRONMENT
    resources:
        **LIGHT,
    params:
        tasks=own_tasks,
        seeds=lambda w: NEEDS.seeds(WORK.jobs[w.job]),
        places=lambda w: asdict(NEEDS.learning(WORK.jobs[w.job]).places),
        code=digest("judge_learning.py", "metrics"),
        versions=VERSIONS["measuring"],
    message:
        "judging what {wildcards.job} learned"
    script:
        "../workflow/scripts/judge_learning.py"


rule compare_tokens:
    """Compute the similarities of tokens of a figure's pairs, with the first seed's networks."""
    input:
        encoder=lambda w: NEEDS.tokens_of_figure(w.paper, w.item).encoder,
        models=lambda w: NEEDS.tokens_of_figure(w.paper, w.item).jobs,
        data=lambda w: LAYOUT.datasets_of([PROJECT.papers[w.paper].figure(w.item).on]),
    output:
        f"{LAYOUT.results}/similarities/{{paper}}-{{item}}.json",
    log:
        f"{LAYOUT.logs}/similarities/{{paper}}-{{item}}.log",
    conda:
        ENVIRONMENT
    threads: PROJECT.settings.threads
    params:
        models=lambda w: NEEDS.tokens_of_figure(w.paper, w.item).models,
        data=lambda w: LAYOUT.splits([PROJECT.papers[w.paper].figure(w.item).on]).popitem()[1],
        pairs=lambda w: PROJECT.papers[w.paper].figure(w.item).pairs,
        computing=COMPUTING | {"device": "cpu"},  # a few pairs: no GPU to wait for
        code=digest("compare_tokens.py"),
        versions=VERSIONS["computing"],
    message:
        "comparing tokens for {wildcards.paper}-{wildcards.item}"
    script:
        "../workflow/scripts/compare_tokens.py"
