"""The estimated cost of a preset as a table: jobs, hours and disk by paper."""

from collections.abc import Mapping

import pandas as pd

# A column of the plan, with its unit in that of the plan and its digits, by heading.
COLUMNS = {"jobs": ("jobs", 1, 0), "hours": ("seconds", 3600, 1), "longest job, min": ("longest", 60, 0)}
COLUMNS |= {"disk, GB": ("disk_mb", 1000, 1)}


def text(plan: Mapping) -> str:
    """Return the estimated cost as text.

    Args:
        plan: `papers`, which map each paper to its `jobs` (a number), `seconds`, `longest` (seconds) and `disk_mb`;
            `preset`, `seeds`, `device` and `threads`; `rate`, with operations per second in `flops` and their `source`;
            `light`, the number of jobs that take seconds.
    """
    papers = pd.DataFrame(plan["papers"]).T
    papers.loc["all"] = papers.agg({key: "max" if key == "longest" else "sum" for key in papers})
    table = pd.DataFrame({title: papers[key] / unit for title, (key, unit, _) in COLUMNS.items()})
    cores = "one core" if plan["threads"] == 1 else f"{plan['threads']} cores"
    hours = "GPU-hours" if plan["device"] == "cuda" else f"hours on {cores}"
    return "\n".join(
        [
            f"The {plan['preset']} preset, seeds: {plan['seeds']}. Training and scoring in {hours}.",
            "",
            table.to_markdown(floatfmt=("", *(f".{digits}f" for *_, digits in COLUMNS.values()))),
            "",
            f"Estimated from the sizes of corpora and encoders at {plan['rate']['flops']:.2g} operations a second",
            f"({plan['rate']['source']}).",
            f"Not included: corpora, encoders, and {plan['light']} tables, figures, lists and claims of seconds each.",
        ]
    )
