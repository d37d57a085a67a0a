"""Lists of examples with the predictions of runs, in Markdown, CSV and JSON."""

from collections.abc import Mapping

import pandas as pd

from semblance.files import write_json, write_text
from semblance.reporting import answers, errors, frames

KINDS = {"worst-errors": errors, "answers": answers}


def write(listed: Mapping, outputs) -> None:
    """Write a built list to `outputs`, which has the paths md, csv and json."""
    write_text(outputs.md, markdown(listed))
    write_text(outputs.csv, as_csv(listed))
    write_json(outputs.json, listed)


def summary(listed: Mapping) -> str:
    """Return the paragraph above the list."""
    text = KINDS[listed["kind"]].summary(listed)
    return f"First of {listed['seeds']} seeds. {text}" if listed["seeds"] > 1 else text


def markdown(listed: Mapping) -> str:
    title = [f"# {listed['source']}: {listed['caption']}", "", summary(listed)]
    notes = [f"{note}\n" for note in (listed["note"], listed["about"]) if note]
    return "\n".join([*title, *KINDS[listed["kind"]].markdown(listed), "", *notes])


def as_csv(listed: Mapping) -> str:
    return frames.csv(pd.DataFrame(KINDS[listed["kind"]].lines(listed)))
