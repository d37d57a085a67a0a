"""results.json: all numbers, claims, runs and audit results of a preset in one machine-readable file."""

from collections.abc import Mapping

from semblance.files import read_json, write_json
from semblance.provenance import Ledger

NUMBER = ("value", "low", "high", "published", "verdict", "digits", "examples", "clusters")
ENCODER = ("title", "source", "repo", "revision", "weights_sha256")


def export(content: Mapping, output: str) -> None:
    """Write the file that config/schema/results.yaml describes.

    Args:
        content: the rendered tables and claims, the judgements of runs and the audit, as for the report.
        output: path of the file.

    Raises:
        UserError: if the files come from different presets or versions; see `semblance.provenance`.
    """
    papers = {paper["name"]: {"title": paper["title"], "authors": paper["authors"]} for paper in content["papers"]}
    ledger = Ledger(content["preset"])
    tables = [_table(ledger.rendered(path)) for paper in content["papers"] for path in paper["tables"]]
    claims = [
        {"paper": paper["name"], **claim}
        for paper in content["papers"]
        for path in paper["claims"]
        for claim in ledger.rendered(path)["claims"]
    ]
    runs = [
        {"paper": paper["name"], "run": run, **{key: value for key, value in found.items() if key != "made_by"}}
        for paper in content["papers"]
        for run, path in paper["learned"].items()
        for found in read_json(path)[run]
    ]
    encoders = {name: {key: read_json(path).get(key) for key in ENCODER} for name, path in content["encoders"].items()}
    whole = {"preset": content["preset"], "about": content["about"], "versions": ledger.versions, "papers": papers}
    whole["encoders"] = encoders
    write_json(output, whole | {"runs": runs, "tables": tables, "claims": claims, "audit": read_json(content["audit"])})


def _table(table: Mapping) -> dict:
    cells = [
        {
            "row": row["name"],
            "column": column,
            **{key: cell[key] for key in NUMBER},
            "seeds": len(cell["per_seed"]),
            "learned": cell["learned"],
            "undefined": cell.get("undefined", False),
            "threshold_tuned_on_scored_rows": cell["leaks"],
            "selected_on_scored_rows": cell["chosen"],
            "contradicted": cell["contradicted"] is not None,
        }
        for row in table["rows"]
        for column, cell in zip(table["columns"], row["cells"], strict=True)
    ]
    return {key: table[key] for key in ("paper", "name", "caption", "source")} | {"numbers": cells}
