"""A user's own models and files of pairs (key `own`), as a paper called ``own`` with one run per model.

Datasets, scoring, tables and reports are those of the other papers.
"""

from collections.abc import Mapping

from semblance.errors import UserError, require
from semblance.registry import METRICS
from semblance.specs.data import dataset_of

NAME = "own"
DATASETS = ("qqp", "stsb", "mrpc", "stress", "stress-extended")
WHERE = "config: own"
BOARD = {  # the leaderboard's tables
    "board": "Your models on the papers' datasets",
    "by-type": "The same on the extended stress suite, accuracy by perturbation type",
}
NUMBERS = ("max_length", "lowest", "highest")  # keys whose values are numbers
NOTE = "Thresholds are tuned on each corpus' dev split, for accuracy. Bi-encoders encode each distinct sentence once."


def checked(own: Mapping | None) -> Mapping:
    """Return the key after checking it; raise UserError if it does not name what can be scored."""
    if not own or not own.get("models"):
        raise UserError(f"{WHERE} names no models: see docs/your-own.md for what to write")
    for dataset in own.get("evaluate_on", []):
        require(dataset, DATASETS, "dataset", f"{WHERE}.evaluate_on")
    for name, model in own["models"].items():
        if ("path" in model) == ("repo" in model):
            raise UserError(f"{WHERE}.models.{name}: name a path, or a repo with its revision, and not both")
    for name, pairs in own.get("pairs", {}).items():
        if ("label" in pairs) == ("score" in pairs):
            raise UserError(f"{WHERE}.pairs.{name}: name the column of the label (0 or 1), or of the score, not both")
        if pairs.get("lowest", 0) >= pairs.get("highest", 5):
            raise UserError(f"{WHERE}.pairs.{name}: lowest must be below highest (0 and 5 by default)")
        if name in BOARD:
            raise UserError(f"{WHERE}.pairs.{name}: the leaderboard has a table of this name: choose another")
    if not _datasets(own) and not own.get("pairs"):
        raise UserError(f"{WHERE}: evaluate_on is empty and there are no pairs: nothing to score the models on")
    return own


def encoders(own: Mapping) -> dict[str, dict]:
    """Return the models in the form of config/encoders.yaml."""
    return {f"{NAME}-{name}": {"title": name} for name in own["models"]}


def places(own: Mapping) -> dict[str, dict]:
    """Return the source of each model in the form of the key `encoders`."""
    found = {}
    for name, model in own["models"].items():
        hub = {"source": "hub", "hub": {key: model[key] for key in ("repo", "revision") if key in model}}
        found[f"{NAME}-{name}"] = {"source": "path", "path": model["path"]} if "path" in model else hub
    return found


def datasets(own: Mapping) -> dict[str, dict]:
    """Return the files of pairs in the form of config/datasets.yaml, with one split, `test`, each."""
    found = {}
    for name, pairs in own.get("pairs", {}).items():
        columns = {key: pairs[key] for key in ("sentence1", "sentence2")}
        table = {
            "columns": columns | {"label": pairs.get("label", pairs.get("score"))},
            "splits": {"test": pairs["file"]},
        }
        if "score" in pairs:
            table |= {"lowest": pairs.get("lowest", 0), "highest": pairs.get("highest", 5)}
        found[f"{NAME}-{name}"] = {
            "title": pairs["file"],
            "label": "score" if "score" in pairs else "binary",
            "splits": ["test"],
            "empty_text": "drop",
            "table": table,
        }
    return found


def paper(own: Mapping, board: Mapping[str, Mapping]) -> dict:
    """Return the paper in the form of a file in config/papers/; `board` is the leaderboard's tables."""
    datasets = _datasets(own)
    rows = {name: {"run": name} for name in own["models"]}
    tables = {}
    for name, table in board.items():
        columns = {title: cell for title, cell in table["columns"].items() if _asked(table, cell, datasets)}
        if any(_splits(table, cell) for cell in columns.values()):
            tables[name] = {**table, "caption": BOARD[name], "note": NOTE, "rows": rows, "columns": columns}
    tables |= {name: _table(name, pairs, rows) for name, pairs in own.get("pairs", {}).items()}
    scored = [on for table in tables.values() for cell in table["columns"].values() for on in _splits(table, cell)]
    return {
        "title": "Your own models and pairs",
        "authors": "yours",
        "runs": {name: _run(name, model, list(dict.fromkeys(scored))) for name, model in own["models"].items()},
        "tables": tables,
    }


def _datasets(own: Mapping) -> list[str]:
    """Return the datasets of the leaderboard on which the user's models are scored."""
    return list(own.get("evaluate_on", DATASETS))


def _run(name: str, model: Mapping, scored: list[str]) -> dict:
    kind = f"library-{model.get('kind', 'bi-encoder')}"
    limit = {"max_length": model["max_length"]} if "max_length" in model else {}
    return {"model": {"kind": kind, "encoder": f"{NAME}-{name}", **limit}, "evaluate": scored}


def _asked(table: Mapping, cell: Mapping, datasets: list[str]) -> bool:
    """Return whether a column of the leaderboard is on the chosen datasets and does not need training."""
    metric = {**table.get("cell", {}), **cell}["metric"]
    return METRICS[metric].measures != "training" and all(dataset_of(on) in datasets for on in _splits(table, cell))


def _splits(table: Mapping, cell: Mapping) -> list[str]:
    """Return the splits on which a cell is scored and its threshold is tuned."""
    keys = {**table.get("cell", {}), **cell}
    rule = keys.get("threshold")
    return ([keys["on"]] if "on" in keys else []) + ([rule["tune_on"]] if isinstance(rule, Mapping) else [])


def _table(name: str, pairs: Mapping, rows: Mapping) -> dict:
    on = f"{NAME}-{name}/test"
    columns: dict[str, dict] = {"Pearson": {"metric": "pearson"}, "Spearman": {"metric": "spearman"}}
    note = "Correlations with the scores in the file."
    if "label" in pairs:
        half = {
            "subset": {"half": "second"},
            "threshold": {"tune_on": on, "maximise": "f1", "subset": {"half": "first"}},
        }
        columns = {title: {"metric": metric, **half} for title, metric in (("Acc.", "accuracy"), ("F1", "f1"))}
        columns |= {"Threshold": {"metric": "threshold", **half}, "ROC AUC": {"metric": "roc-auc"}}
        note = "The threshold is the best by F1 on one half of the rows; accuracy and F1 are of the other half."
    columns |= {"ms a pair": {"metric": "milliseconds-per-pair"}}
    return {
        "caption": pairs["file"],
        "source": f"Your pairs, {name}",
        "note": note,
        "cell": {"on": on},
        "rows": dict(rows),
        "columns": columns,
    }
