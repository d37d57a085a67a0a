rule render_table:
    """Measure a table; write Markdown, CSV, LaTeX and JSON."""
    input:
        evidence=or_stop(lambda w: NEEDS.table(w.paper, w.item).files),
    output:
        **{kind: f"{LAYOUT.results}/tables/{{paper}}-{{item}}.{kind}" for kind in ("md", "tex", "json")},
        csv=report(f"{LAYOUT.results}/tables/{{paper}}-{{item}}.csv", **shown("table")),
    log:
        f"{LAYOUT.logs}/tables/{{paper}}-{{item}}.log",
    conda:
        ENVIRONMENT
    resources:
        **LIGHT,
    params:
        code=digest("render_table.py", "metrics"),
        table=lambda w: asdict(PROJECT.papers[w.paper].table(w.item)),
        not_comparable=lambda w: comparable.of_table(PROJECT, w.paper, PROJECT.papers[w.paper].table(w.item)),
        places=lambda w: asdict(NEEDS.table(w.paper, w.item).places),
        about=PROJECT.settings.about,
        versions=VERSIONS["measuring"],
    message:
        "rendering the table {wildcards.paper}-{wildcards.item}"
    script:
        "../workflow/scripts/render_table.py"


rule render_figure:
    """Draw a figure as SVG and PNG."""
    input:
        data=or_stop(lambda w: NEEDS.data_of_figure(w.paper, w.item)),
        evidence=or_stop(lambda w: NEEDS.figure(w.paper, w.item).files),
    output:
        png=f"{LAYOUT.results}/figures/{{paper}}-{{item}}.png",
        svg=report(f"{LAYOUT.results}/figures/{{paper}}-{{item}}.svg", **shown("figure")),
    log:
        f"{LAYOUT.logs}/figures/{{paper}}-{{item}}.log",
    conda:
        ENVIRONMENT
    resources:
        **LIGHT,
    params:
        code=digest("render_figure.py", "metrics"),
        figure=lambda w: asdict(PROJECT.papers[w.paper].figure(w.item)),
        places=lambda w: asdict(NEEDS.figure(w.paper, w.item).places),
        versions=VERSIONS["drawing"],
    message:
        "drawing the figure {wildcards.paper}-{wildcards.item}"
    script:
        "../workflow/scripts/render_figure.py"


rule render_list:
    """List examples with the predictions of runs; write Markdown, CSV and JSON."""
    input:
        evidence=or_stop(lambda w: NEEDS.listed(w.paper, w.item).files),
    output:
        **{kind: f"{LAYOUT.results}/lists/{{paper}}-{{item}}.{kind}" for kind in ("md", "json")},
        csv=report(f"{LAYOUT.results}/lists/{{paper}}-{{item}}.csv", **shown("list")),
    log:
        f"{LAYOUT.logs}/lists/{{paper}}-{{item}}.log",
    conda:
        ENVIRONMENT
    resources:
        **LIGHT,
    params:
        code=digest("render_list.py", "metrics"),
        list=lambda w: asdict(PROJECT.papers[w.paper].listed(w.item)),
        places=lambda w: asdict(NEEDS.listed(w.paper, w.item).places),
        about=PROJECT.settings.about,
        versions=VERSIONS["measuring"],
    message:
        "listing {wildcards.paper}-{wildcards.item}"
    script:
        "../workflow/scripts/render_list.py"


rule render_claims:
    """Judge a paper's claims; write Markdown, CSV and JSON."""
    input:
        evidence=lambda w: NEEDS.claims(w.paper).files,
    output:
        **{kind: f"{LAYOUT.results}/claims/{{paper}}.{kind}" for kind in ("md", "json")},
        csv=report(f"{LAYOUT.results}/claims/{{paper}}.csv", **shown("claims", item="claims")),
    log:
        f"{LAYOUT.logs}/claims/{{paper}}.log",
    conda:
        ENVIRONMENT
    resources:
        **LIGHT,
    params:
        code=digest("render_claims.py", "metrics"),
        claims=lambda w: {name: asdict(claim) for name, claim in PROJECT.papers[w.paper].claims.items()},
        of_stand_ins=lambda w: comparable.claims_of_stand_ins(PROJECT, w.paper),
        places=lambda w: asdict(NEEDS.claims(w.paper).places),
        about=PROJECT.settings.about,
        versions=VERSIONS["measuring"],
    message:
        "judging the claims of {wildcards.paper}"
    script:
        "../workflow/scripts/render_claims.py"


rule audit:
    """Check published numbers against others of the same paper; needs no run."""
    output:
        **{kind: f"{LAYOUT.results}/audit.{kind}" for kind in ("md", "json")},
        csv=report(f"{LAYOUT.results}/audit.csv", **shown("audit", "all papers", "audit")),
    log:
        f"{LAYOUT.logs}/audit.log",
    conda:
        ENVIRONMENT
    resources:
        **LIGHT,
    params:
        code=digest("render_audit.py"),
        papers=summary.printed(PROJECT),
        versions=VERSIONS["measuring"],
    message:
        "auditing the printed numbers: {output.md}"
    script:
        "../workflow/scripts/render_audit.py"


# Each table, figure and list has an alias with underscores: `snakemake stl_table2`.
for alias, (files, caption) in LAYOUT.aliases().items():

    rule:
        name:
            alias
        input:
            files,
        localrule: True

    # For --list-rules; in a workflow that uses this one as a module, rules have other names.
    with suppress(Exception):  # what these methods do can change with Snakemake, and only this text depends on them
        workflow.get_rule(alias).docstring = caption


rule misspelt:
    """Say what an unknown target may have meant, or which preset makes a file; Snakemake takes a name for a file."""
    input:
        lambda w: misspelt_target(w.target),
    output:
        "{target}",
    wildcard_constraints:
        target=rf"[\w-]+|results/(?!{PROJECT.settings.preset}/)[a-z]+/(report.html|(tables|figures|lists|claims)/[^/]+)",
    localrule: True


CONTENT = summary.content(PROJECT, LAYOUT)
TEMPLATES = ROOT / "workflow/scripts/semblance/reporting/report"


rule render_overview:
    """Draw the claims about scores and their intervals, and published scores beside the measured ones."""
    input:
        claims=[path for paper in CONTENT.papers for path in paper.claims],
        tables=[path for paper in CONTENT.papers for path in paper.tables],
    output:
        **{
            f"{name}_{kind}": f"{LAYOUT.results}/figures/overview-{name}.{kind}"
            for name in ("claims", "numbers")
            for kind in ("svg", "png")
        },
    log:
        f"{LAYOUT.logs}/figures/overview.log",
    conda:
        ENVIRONMENT
    resources:
        **LIGHT,
    params:
        code=digest("render_overview.py"),
        versions=VERSIONS["drawing"],
    message:
        "drawing all claims and all published scores"
    script:
        "../workflow/scripts/render_overview.py"


rule render_report:
    """Write the report, one self-contained HTML page with all tables and figures."""
    input:
        summary.of_report(PROJECT, LAYOUT, CONTENT),
        templates=sorted(os.path.relpath(file) for file in TEMPLATES.iterdir() if file.suffix in (".j2", ".css", ".js")),
    output:
        report(f"{LAYOUT.results}/report.html", **shown("report", "all papers", "report")),
    log:
        f"{LAYOUT.logs}/report.log",
    conda:
        ENVIRONMENT
    params:
        release=provenance.release(),
        code=digest("render_report.py"),
        content=asdict(CONTENT),
        versions=VERSIONS["reporting"],
    message:
        "writing the report"
    script:
        "../workflow/scripts/render_report.py"


rule export_results:
    """Write all numbers, claims and runs to one JSON file."""
    input:
        summary.of_results(PROJECT, LAYOUT, CONTENT),
    output:
        f"{LAYOUT.results}/results.json",
    log:
        f"{LAYOUT.logs}/results.log",
    conda:
        ENVIRONMENT
    params:
        release=provenance.release(),
        code=digest("export_results.py"),
        content=asdict(CONTENT),
        versions=VERSIONS["measuring"],
    message:
        "exporting the results"
    script:
        "../workflow/scripts/export_results.py"
