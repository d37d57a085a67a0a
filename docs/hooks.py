"""Pages of the site that are generated from the code and the configuration: home, papers and reference.

MkDocs calls `on_files` and `on_page_markdown`; `make docs` puts the package on its path.
"""

import inspect
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from semblance.config.files import read_yaml
from semblance.config.load import load
from semblance.config.project import Paper, Project
from semblance.evaluation import audit, metrics
from semblance.planning import recipes
from semblance.planning.costs import Costs
from semblance.planning.jobs import of_project
from semblance.planning.layout import Layout
from semblance.registry import FIGURES, METRICS, MODELS, OBJECTIVES
from semblance.reporting import recipes as recipe_tables
from semblance.reporting.audit import contradiction
from semblance.reporting.claims import effect, reason
from semblance.reporting.frames import pipes
from semblance.results import read_results
from semblance.specs.kinds import FigureKind, ModelKind

ROOT = Path(__file__).resolve().parent.parent
# Links from a page to a file that the site does not have.
OUTSIDE = re.compile(r"\[([^]]*)\]\(((?:\.\./)*(?:LICENSE|CITATION\.cff|(?:config|tests|workflow|benchmarks)/[^)]*))\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    project = load(ROOT, read_yaml(ROOT / "config" / "config.yaml") | {"preset": "paper"})
    pages = {
        "index.md": _text("README.md").replace("](docs/", "]("),
        "changelog.md": _text("CHANGELOG.md"),
        "contributing.md": _text("CONTRIBUTING.md").replace("](docs/", "]("),
        "reference/settings.md": settings(),
        "reference/paper.md": schema("paper", "Schema of a paper", "The schema of the files in `config/papers`."),
        "reference/registry.md": registered(),
        "reference/datasets.md": datasets(project),
        "reference/targets.md": targets(project),
        "reference/results.md": schema("results", "results.json", "All numbers, claims and runs of a preset."),
    }
    pages |= {f"papers/{paper.name}.md": of_paper(project, paper) for paper in project.papers.values() if paper.runs}
    for path, content in pages.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Replace links to files outside the site by their names, and that to CONTRIBUTING by one to its page."""
    return OUTSIDE.sub(r"\1 (`\2`)", markdown.replace("](../CONTRIBUTING.md", "](contributing.md"))


def of_paper(project: Project, paper: Paper) -> str:
    """Return a paper's page: its tables and claims, contradictions in print, our deviations, and the recipes."""
    tables = [
        (f"`{paper.name}_{name.replace('-', '_')}`", f"{table.source}: {table.caption}")
        for name, table in paper.tables.items()
    ]
    wrong = [
        f"- {one.source}, {one.row}, {one.column}: printed {one.printed:g}; {contradiction(one)}"
        for one in audit.audited({paper.name: paper.tables}).failed
    ]
    parts = [
        f"# {paper.name}: {paper.title}",
        paper.authors + (f", <{paper.url}>" if paper.url else ""),
        *_question(paper.name),
        "## Claims",
        *_claims(paper),
        *_figures(paper),
        "## Tables",
        pipes(("name", "table"), tables),
        "## What it printed",
        *_printed(paper),
        "## Contradictions in print",
        "\n".join(wrong) or "No printed number contradicts another one.",
        "## Deviations",
        _deviations(paper.name),
        "## Recipes",
        f"Under the `paper` preset. {recipe_tables.NOTE}",
        _recipes(project, paper),
    ]
    return "\n\n".join(parts)


def settings() -> str:
    """Return the page of settings and presets: the files, whose comments explain every key."""
    parts = ["# Settings and presets", "Set any key on the command line after `--config`.", "## config/config.yaml"]
    parts.append(_yaml(_text("config/config.yaml")))
    for preset in sorted((ROOT / "config" / "presets").glob("*.yaml")):
        parts += [f"## {preset.stem}", read_yaml(preset)["about"], _yaml(preset.read_text(encoding="utf-8"))]
    for keys, of in (
        ("config", "config.yaml"),
        ("preset", "a preset"),
        ("datasets", "a dataset"),
        ("encoders", "an encoder"),
    ):
        parts += [f"## Keys of {of}", _yaml(_text(f"config/schema/{keys}.yaml"))]
    return "\n\n".join(parts)


def schema(name: str, title: str, about: str) -> str:
    """Return a page of a schema of config/schema, below a title and a text."""
    return f"# {title}\n\n{about}\n\n{_yaml(_text(f'config/schema/{name}.yaml'))}"


def registered() -> str:
    """Return the page of what the registry declares: metrics, losses, models and figures."""
    measured = [
        (f"`{name}`", metric.about or _documented(name), *metric.bounds, "yes" if metric.needs_threshold else "")
        for name, metric in METRICS.items()
    ]
    losses = [(f"`{name}`", _docstring(f"objectives/{name}"), one.output) for name, one in OBJECTIVES.items()]
    models = [(f"`{name}`", _docstring(f"models/{name}"), _names(kind)) for name, kind in MODELS.items()]
    parts = [
        "# Metrics, losses, models",
        "## Metrics",
        pipes(("metric", "what it is", "lowest", "highest", "needs a threshold"), measured),
        "## Losses",
        pipes(("loss", "what it is", "of"), losses),
        "## Models",
        pipes(("kind", "what it is", "keys"), models),
        "## Figures",
        pipes(("kind", "keys"), [(f"`{name}`", _names(kind)) for name, kind in FIGURES.items()]),
    ]
    return "\n\n".join(parts)


def datasets(project: Project) -> str:
    """Return the page of datasets: what each is, whose work, under which licence, and from where it is read."""
    known = project.datasets
    rows = [
        (f"`{name}`", one.title, known[name].label, ", ".join(known.sources[name]), one.cite, one.licence)
        for name, one in known.citations.items()
    ]
    parts = [
        "# Datasets",
        "What config/datasets.yaml describes. `data_source` chooses among the sources. Citation and licence are those "
        "of the corpus; `generated` sentences take its place, and `project` is a file of this repository.",
        pipes(("name", "what it is", "labels", "sources", "citation", "licence"), rows),
    ]
    return "\n\n".join(parts)


def targets(project: Project) -> str:
    """Return the page of make's commands, Snakemake's rules, and all names of tables, figures and lists."""
    commands = re.findall(r"^([a-z-]+):.*?##\s*(.*)$", _text("Makefile"), flags=re.MULTILINE)
    files = sorted((ROOT / "rules").glob("*.smk"))
    documented = r'^rule (\w+):\n    """(.*?)"""'
    rules = [
        found for file in files for found in re.findall(documented, file.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    shown = Layout(project, of_project(project)).aliases()
    parts = [
        "# Commands and targets",
        "## make",
        pipes(("command", "what it does"), [(f"`make {name}`", text) for name, text in commands]),
        "## Rules of Snakemake",
        pipes(("rule", "what it does"), [(f"`{name}`", text) for name, text in rules]),
        "## Tables, figures and lists by name",
        "`snakemake --cores all NAME` makes one, and what it needs.",
        pipes(("name", "what it shows"), [(f"`{name}`", caption) for name, (_, caption) in shown.items()]),
    ]
    return "\n\n".join(parts)


def _question(paper: str) -> Iterator[str]:
    """Yield a paper's question and its answer here, as in README."""
    for row in _text("README.md").splitlines():
        if row.startswith(f"| `{paper}` |"):
            question, answer = row.split(" | ")[2:4]
            yield f"**{question}** Here: {answer.rstrip('.')}."


def _figures(paper: Paper) -> Iterator[str]:
    """Yield the published figures of a paper, each with its caption."""
    results = ROOT / "docs" / "results"
    if any(results.glob(f"*/figures/{paper.name}-*.svg")):
        yield "## Figures"
    for name, figure in paper.figures.items():
        for file in sorted(results.glob(f"*/figures/{paper.name}-{name}.svg")):
            yield f"![{figure.caption}](../{file.relative_to(ROOT / 'docs')})"
            yield f"*{file.parts[-3]}: {figure.caption}*"


def _claims(paper: Paper) -> Iterator[str]:
    """Yield which results are published, and a table of the claims with their verdicts in each."""
    verdicts: dict[str, dict[str, str]] = {}
    for file in sorted((ROOT / "docs" / "results").glob("*/results.json")):
        results = read_results(file)
        if paper.name in results.papers:
            name, seeds = file.parent.name, results.settings.seeds
            verdicts[name] = {
                claim.claim: f"**{claim.verdict}** {effect(claim)}{reason(claim)}"
                for claim in results.claims_of(paper.name)
            }
            link = f"[all results](../results/{name}/README.md#{paper.name})"
            yield f"{results.about.strip()} Seeds: {', '.join(map(str, seeds))}; {link}."
    rows = [
        (claim.statement, claim.source, *(judged.get(name, "") for judged in verdicts.values()))
        for name, claim in paper.claims.items()
    ]
    if not verdicts:
        yield "No results on real data are published yet, so the claims have no verdicts here."
    yield pipes(("claim", "source", *verdicts), rows)


def _printed(paper: Paper) -> Iterator[str]:
    """Yield the published numbers of each table that has any; other readings of a table repeat its numbers."""
    tables = {str(table.published): table for table in reversed([*paper.tables.values()]) if table.published}
    if not tables:
        yield "Our copy has no numbers."
    for table in reversed(tables.values()):
        yield f"{table.source}: {table.caption}"
        rows = [(row, *(values.get(column, "") for column in table.columns)) for row, values in table.published.items()]
        yield pipes(("", *table.columns), rows)


def _recipes(project: Project, paper: Paper) -> str:
    alone = replace(project, papers={paper.name: paper})
    resolved = recipes.of_project(alone, Costs(alone, "cpu", ROOT))[paper.name]
    rows = [row for run, recipe in resolved.items() for row in recipe_tables.rows(run, recipe)]
    return pipes(recipe_tables.COLUMNS, rows)


def _deviations(paper: str) -> str:
    """Return a paper's section of docs/deviations.md, with links as papers/ needs them."""
    sections = _text("docs/deviations.md").split("\n## ")[1:]
    found = (section.partition("\n")[2].strip() for section in sections if section.startswith(f"{paper}:"))
    return rebased(next(found, "None are recorded."), "deviations.md")


def rebased(text: str, page: str) -> str:
    """Return the text of a page of docs/ with its links as a page in a folder below needs them."""
    return re.sub(r"\]\((?!https?:)", "](../", text.replace("](#", f"]({page}#"))


def _documented(metric: str) -> str:
    """Return the first line of the docstring of a metric's function."""
    return str(inspect.getdoc(metrics.function(metric))).partition("\n")[0]


def _docstring(module: str) -> str:
    """Return the first line of the docstring of a module of the package."""
    base = ROOT / "workflow/scripts/semblance" / module.replace("-", "_")
    path = next(file for file in (base.with_suffix(".py"), base / "__init__.py") if file.exists())
    return path.read_text(encoding="utf-8").split('"""')[1].splitlines()[0]


def _names(kind: ModelKind | FigureKind) -> str:
    return ", ".join(f"`{key}`" for key in sorted(kind.requires | kind.allows))


def _yaml(text: str) -> str:
    return f"```yaml\n{text}\n```"


def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")
