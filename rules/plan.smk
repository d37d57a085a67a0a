# What has to be there before a machine without a network can do the rest.
rule fetched:
    input:
        STREET.fetched(),
    localrule: True


# What benchmarks/bench.py reads: some pairs, and the encoder that the preset has for BERT.
rule to_measure:
    input:
        STREET.splits(["stsb/train", "stsb/dev", "mrpc/train", "qqp/validation"]),
        STREET.encoder_folder("bert"),
    localrule: True


rule plan:
    """Say what training and scoring would cost, before anybody spends it."""
    input:
        code=modules("plan.py"),
    log:
        f"{STREET.logs}/plan.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        plan=STREET.plan(),
        file=f"{STREET.results}/plan.md",  # no output: asked again, it is to be said again
    message:
        "reckoning what a run would cost"
    script:
        "../workflow/scripts/plan.py"


rule recipes:
    """Write each run's resolved hyperparameters, and what set them; trains nothing."""
    input:
        code=modules("render_recipes.py"),
    output:
        **{kind: f"{STREET.results}/recipes.{kind}" for kind in ("md", "yaml")},
    log:
        f"{STREET.logs}/recipes.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        recipes=STREET.recipes(),
    message:
        "writing the recipes of all runs"
    script:
        "../workflow/scripts/render_recipes.py"
