"""The estimated cost of a preset as a table: jobs, hours and disk by paper."""

import pandas as pd

from semblance.specs.costs import Plan

# A column of the plan, with its unit in that of `Total` and its digits, by heading.
COLUMNS = {"jobs": ("jobs", 1, 0), "hours": ("seconds", 3600, 1), "longest job, min": ("longest", 60, 0)}
COLUMNS |= {"disk, GB": ("disk_mb", 1000, 1)}


def text(plan: Plan) -> str:
    """Return the estimated cost as text."""
    totals = {**plan.papers, "all": plan.total}
    table = pd.DataFrame(
        {title: [getattr(one, key) / unit for one in totals.values()] for title, (key, unit, _) in COLUMNS.items()},
        index=list(totals),
    )
    on_cpu = plan.device == "cpu"
    table["hours"] *= plan.threads if on_cpu else 1
    hours = "core-hours" if on_cpu else "GPU-hours"
    return "\n".join(
        [
            f"The {plan.preset} preset, seeds: {plan.seeds}. Training and scoring in {hours}.",
            "",
            table.to_markdown(floatfmt=("", *(f".{digits}f" for *_, digits in COLUMNS.values()))),
            "",
            f"Estimated from the sizes of corpora and encoders at {plan.rate.flops:.2g} operations a second",
            f"({plan.rate.source}).",
            f"Not included: corpora, encoders, and {plan.light_jobs} tables, figures, lists and claims of seconds "
            "each.",
        ]
    )
