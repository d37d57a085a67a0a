for dataset in PROJECT.datasets:

    rule:
        # Reads a dataset from its source, checks it, keeps its splits apart, writes them as parquet.
        name:
            f"prepare_{dataset.replace('-', '_')}"
        input:
            files=PROJECT.files_of_dataset(dataset),
            code=modules("prepare_dataset.py"),
        output:
            splits=splits(f"{dataset}/{split}" for split in PROJECT.datasets[dataset]["splits"]),
            facts=f"{RESULTS}/data/{dataset}/facts.json",
        log:
            f"{LOGS}/data/{dataset}.log",
        benchmark:
            f"{BENCHMARKS}/data/{dataset}.jsonl"
        params:
            dataset=dataset,
            spec=PROJECT.dataset_spec(dataset),
            root=str(ROOT),
        conda:
            ENVIRONMENT
        message:
            f"preparing {dataset}"
        script:
            "../workflow/scripts/prepare_dataset.py"
