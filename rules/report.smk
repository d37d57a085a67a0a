rule render_table:
    """Measure a table's cells on predictions; write Markdown, CSV, LaTeX, and JSON for machines."""
    input:
        predictions=lambda w: sum(STREET.predictions_of_table(w.paper, w.item).values(), []),
        facts=lambda w: list(STREET.facts_of_table(w.paper, w.item).values()),
        code=modules("render_table.py"),
    output:
        **{kind: f"{STREET.results}/tables/{{paper}}-{{item}}.{kind}" for kind in ("md", "csv", "tex", "json")},
    log:
        f"{STREET.logs}/tables/{{paper}}-{{item}}.log",
    conda:
        ENVIRONMENT
    params:
        table=lambda w: PROJECT.papers[w.paper].tables[w.item],
        predictions=lambda w: STREET.predictions_of_table(w.paper, w.item),
        facts=lambda w: STREET.facts_of_table(w.paper, w.item),
        heading=lambda w: STREET.heading(w.paper, w.item),
    message:
        "rendering the table {wildcards.paper}-{wildcards.item}"
    script:
        "../workflow/scripts/render_table.py"


rule render_figure:
    """Draw a figure as SVG and PNG."""
    input:
        data=lambda w: STREET.data_of_figure(w.paper, w.item),
        code=modules("render_figure.py"),
    output:
        **{kind: f"{STREET.results}/figures/{{paper}}-{{item}}.{kind}" for kind in ("svg", "png")},
    log:
        f"{STREET.logs}/figures/{{paper}}-{{item}}.log",
    conda:
        ENVIRONMENT
    params:
        figure=lambda w: PROJECT.papers[w.paper].figures[w.item],
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
            input:
                multiext(f"{STREET.results}/tables/{paper.name}-{item}", ".md", ".csv", ".tex", ".json"),
            localrule: True

    for item in paper.figures:

        rule:
            name:
                f"{paper.name}_{item}".replace("-", "_")
            input:
                multiext(f"{STREET.results}/figures/{paper.name}-{item}", ".svg", ".png"),
            localrule: True


rule render_report:
    """Put every table, figure and fact on one self-contained HTML page."""
    input:
        STREET.report_inputs(),
        template=os.path.relpath(ROOT / "workflow/scripts/semblance/reporting/report.html.j2"),
        code=modules("render_report.py"),
    output:
        f"{STREET.results}/report.html",
    log:
        f"{STREET.logs}/report.log",
    conda:
        ENVIRONMENT
    params:
        content=STREET.report_content(),
    message:
        "writing the report"
    script:
        "../workflow/scripts/render_report.py"
