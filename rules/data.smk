rule prepare_dataset:
    """Download or read a dataset, check it, keep its splits disjoint, and write them as parquet."""
    input:
        files=lambda w: PROJECT.datasets.files(w.dataset, os.path.exists(LAYOUT.dataset(w.dataset))),
    output:
        directory(f"{LAYOUT.results}/data/{{dataset}}"),
    log:
        f"{LAYOUT.logs}/data/{{dataset}}.log",
    wildcard_constraints:
        dataset=without(PROJECT.datasets.with_source(), FETCHED_DATASETS),
    # Before all else: it takes seconds, and a core would wait for a dataset that comes last.
    priority: 10**9
    conda:
        ENVIRONMENT
    resources:
        mem_mb=lambda w, attempt: 4000 * attempt,
    params:
        spec=lambda w: asdict(PROJECT.datasets[w.dataset]),
        source=lambda w: asdict(PROJECT.datasets.source(w.dataset)),
        code=lambda w: digest("prepare_dataset.py", declared=declared(PROJECT.datasets[w.dataset].label)),
        versions=VERSIONS["preparing"],
    message:
        "preparing {wildcards.dataset}"
    script:
        "../workflow/scripts/prepare_dataset.py"


use rule prepare_dataset as fetch_dataset with:
    wildcard_constraints:
        dataset=only(FETCHED_DATASETS),
    localrule: True
