rule fetched:
    """Fetch all that comes over a network; a machine without one can do the rest."""
    input:
        [LAYOUT.dataset(name) for name in PROJECT.datasets_used()],
        [LAYOUT.encoder_facts(name) for name in PROJECT.encoders_used()],
    localrule: True


rule to_measure:
    """Prepare what the benchmarks read: some pairs, and the encoder that the preset has for BERT."""
    input:
        LAYOUT.datasets_of(["stsb/train", "mrpc/train", "qqp/validation"]),
        LAYOUT.encoder("bert"),
    localrule: True


rule plan:
    """Estimate what training and scoring would cost, without doing either."""
    log:
        f"{LAYOUT.logs}/plan.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        plan=lambda wildcards: asdict(WORK.costs.plan(JOBS, light_jobs=len(LAYOUT.aliases()))),
        file=f"{LAYOUT.results}/plan.md",  # not an output, so that it is shown each time it is asked for
    message:
        "estimating the cost of a run"
    script:
        "../workflow/scripts/plan.py"


rule compare:
    """Show which numbers and verdicts differ between the results that --config first=… second=… name."""
    input:
        or_stop(lambda w: results.check_named(config["first"], config["second"])),
    log:
        f"{LAYOUT.logs}/compare.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        first=config["first"],
        second=config["second"],
    message:
        "comparing two results"
    script:
        "../workflow/scripts/compare.py"


rule recipes:
    """Write each run's resolved hyperparameters and what set them, without training."""
    output:
        **{kind: f"{LAYOUT.results}/recipes.{kind}" for kind in ("md", "yaml")},
    log:
        f"{LAYOUT.logs}/recipes.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        recipes=lambda wildcards: as_plain(recipes.of_project(PROJECT, WORK.costs)),
        code=digest("render_recipes.py"),
    message:
        "writing the recipes of all runs"
    script:
        "../workflow/scripts/render_recipes.py"
