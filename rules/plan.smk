# What has to be there before a machine without a network can do the rest.
rule fetched:
    input:
        NEEDS.fetched(),
    localrule: True


# What benchmarks/bench.py reads: some pairs, and the encoder that the preset has for BERT.
rule to_measure:
    input:
        LAYOUT.splits(["stsb/train", "stsb/dev", "mrpc/train", "qqp/validation"]),
        LAYOUT.encoder_folder("bert"),
    localrule: True


rule plan:
    """Say what training and scoring would cost, before anybody spends it."""
    input:
        code=modules("plan.py"),
    log:
        f"{LAYOUT.logs}/plan.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        plan=NEEDS.plan(),
        file=f"{LAYOUT.results}/plan.md",  # no output: asked again, it is to be said again
    message:
        "reckoning what a run would cost"
    script:
        "../workflow/scripts/plan.py"


rule recipes:
    """Write each run's resolved hyperparameters, and what set them; trains nothing."""
    input:
        code=modules("render_recipes.py"),
    output:
        **{kind: f"{LAYOUT.results}/recipes.{kind}" for kind in ("md", "yaml")},
    log:
        f"{LAYOUT.logs}/recipes.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        recipes=NEEDS.recipes(),
    message:
        "writing the recipes of all runs"
    script:
        "../workflow/scripts/render_recipes.py"
