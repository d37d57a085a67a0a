for dataset in PROJECT.datasets_with_source():

    rule:
        # Reads a dataset from its source, checks it, keeps its splits apart, writes them as parquet.
        name:
            f"prepare_{dataset.replace('-', '_')}"
        input:
            files=PROJECT.files_of_dataset(dataset),
            code=modules("prepare_dataset.py"),
        output:
            splits=LAYOUT.splits(f"{dataset}/{split}" for split in PROJECT.datasets[dataset]["splits"]),
            facts=LAYOUT.dataset_facts([dataset])[0],
        log:
            f"{LAYOUT.logs}/data/{dataset}.log",
        # Before all else: it takes seconds, and one corpus that comes last lets a core wait for the runs on it.
        priority: 10**9
        # Nodes of a cluster are seldom on the network.
        localrule: PROJECT.dataset_source(dataset)["kind"] in ("hub", "repository")
        conda:
            ENVIRONMENT
        resources:
            mem_mb=4000,
        params:
            dataset=dataset,
            spec=PROJECT.dataset_spec(dataset),
            versions=VERSIONS["preparing"],
        message:
            f"preparing {dataset}"
        script:
            "../workflow/scripts/prepare_dataset.py"
