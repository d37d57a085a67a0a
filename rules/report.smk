TABLE = f"{RESULTS}/tables/{{paper}}-{{item}}"
FIGURE = f"{RESULTS}/figures/{{paper}}-{{item}}"


def predictions(paper, runs):
    """By run, the predictions folder of every seed. Runs without a stage are the same for every seed."""
    seeds = {run: PROJECT.seeds_of_run(paper, run) for run in runs}
    return {run: [f"{RESULTS}/runs/{paper}/{run}/seed-{seed}/predictions" for seed in seeds[run]] for run in runs}


def predictions_of_table(wildcards):
    paper = PROJECT.papers[wildcards.paper]
    return predictions(paper.name, paper.runs_of_table(wildcards.item))


def facts_of_table(wildcards):
    """By dataset, the facts of those a table shows."""
    datasets = PROJECT.papers[wildcards.paper].datasets_of_table(wildcards.item)
    return {dataset: f"{RESULTS}/data/{dataset}/facts.json" for dataset in datasets}


def heading(wildcards):
    stands_for = PROJECT.preset["about"]
    return {"paper": wildcards.paper, "name": wildcards.item, "preset": PRESET, "about": stands_for}


rule render_table:
    """Measure a table's cells on predictions; write Markdown, CSV, LaTeX, and JSON for machines."""
    input:
        predictions=lambda w: [folder for folders in predictions_of_table(w).values() for folder in folders],
        facts=lambda w: list(facts_of_table(w).values()),
        code=modules("render_table.py"),
    output:
        md=f"{TABLE}.md",
        csv=f"{TABLE}.csv",
        tex=f"{TABLE}.tex",
        json=f"{TABLE}.json",
    log:
        f"{LOGS}/tables/{{paper}}-{{item}}.log",
    params:
        table=lambda w: PROJECT.papers[w.paper].tables[w.item],
        predictions=predictions_of_table,
        facts=facts_of_table,
        heading=heading,
    conda:
        ENVIRONMENT
    message:
        "rendering the table {wildcards.paper}-{wildcards.item}"
    script:
        "../workflow/scripts/render_table.py"


def data_of_figure(wildcards):
    """What a figure is drawn from: the curves of its runs, or a table."""
    paper = PROJECT.papers[wildcards.paper]
    figure = paper.figures[wildcards.item]
    if "table" in figure:
        return [f"{RESULTS}/tables/{paper.name}-{figure['table']}.json"]
    return [f"{RESULTS}/runs/{paper.name}/{run}/seed-{PROJECT.seeds[0]}/curve.csv" for run in figure["runs"]]


rule render_figure:
    """Draw a figure as SVG and PNG."""
    input:
        data=data_of_figure,
        code=modules("render_figure.py"),
    output:
        svg=f"{FIGURE}.svg",
        png=f"{FIGURE}.png",
    log:
        f"{LOGS}/figures/{{paper}}-{{item}}.log",
    params:
        figure=lambda w: PROJECT.papers[w.paper].figures[w.item],
    conda:
        ENVIRONMENT
    message:
        "drawing the figure {wildcards.paper}-{wildcards.item}"
    script:
        "../workflow/scripts/render_figure.py"


# Every table and figure also has a rule of its own name, with underscores: `snakemake stl_table2`.
for paper in PROJECT.papers.values():
    for item in paper.tables:

        rule:
            name:
                f"{paper.name}_{item}".replace("-", "_")
            localrule: True
            input:
                multiext(f"{RESULTS}/tables/{paper.name}-{item}", ".md", ".csv", ".tex", ".json"),

    for item in paper.figures:

        rule:
            name:
                f"{paper.name}_{item}".replace("-", "_")
            localrule: True
            input:
                multiext(f"{RESULTS}/figures/{paper.name}-{item}", ".svg", ".png"),


def report_content():
    """What the report shows: by paper, its tables, figures and runs, and the facts of datasets and encoders."""
    content = {"preset": PRESET, "about": PROJECT.preset["about"], "papers": []}
    for paper in PROJECT.papers.values():
        content["papers"].append(
            {
                "name": paper.name,
                "title": paper.title,
                "authors": paper.authors,
                "tables": [f"{RESULTS}/tables/{paper.name}-{item}.json" for item in paper.tables],
                "figures": [
                    {"caption": spec["caption"], "svg": f"{RESULTS}/figures/{paper.name}-{item}.svg"}
                    for item, spec in paper.figures.items()
                ],
                "runs": {
                    run: [f"{RESULTS}/runs/{paper.name}/{run}/seed-{seed}/facts.json" for seed in PROJECT.seeds_of_run(paper.name, run)]
                    for run in paper.runs
                },
            }
        )
    content["datasets"] = [f"{RESULTS}/data/{name}/facts.json" for name in PROJECT.datasets_used()]
    content["encoders"] = {name: f"{RESULTS}/encoders/{name}/facts.json" for name in PROJECT.encoders_used()}
    return content


def report_inputs():
    content, files = report_content(), []
    for paper in content["papers"]:
        files += paper["tables"] + [figure["svg"] for figure in paper["figures"]]
        files += [path for paths in paper["runs"].values() for path in paths]
    return files + content["datasets"] + list(content["encoders"].values())


rule render_report:
    """Put every table, figure and fact on one self-contained HTML page."""
    input:
        report_inputs(),
        template=ROOT / "workflow/scripts/semblance/reporting/report.html.j2",
        code=modules("render_report.py"),
    output:
        f"{RESULTS}/report.html",
    log:
        f"{LOGS}/report.log",
    params:
        content=report_content(),
    conda:
        ENVIRONMENT
    message:
        "writing the report"
    script:
        "../workflow/scripts/render_report.py"
