"""The estimated cost of a preset as a table: jobs, hours and disk by paper."""

from collections.abc import Mapping

COLUMNS = ("", "jobs", "hours", "longest job, min", "disk, GB")


def text(plan: Mapping) -> str:
    """Return the estimated cost as text.

    Args:
        plan: `papers`, which map each paper to its `jobs` (a number), `seconds`, `longest` (seconds) and `disk_mb`;
            `preset`, `seeds`, `device` and `threads`; `rate`, with operations per second in `flops` and their source
            in `from`; `light`, the number of jobs that take seconds.
    """
    rows = [[name, *_row(paper)] for name, paper in plan["papers"].items()]
    total = {key: sum(paper[key] for paper in plan["papers"].values()) for key in ("jobs", "seconds", "disk_mb")}
    total["longest"] = max(paper["longest"] for paper in plan["papers"].values())
    rows.append(["all", *_row(total)])
    widths = [max(map(len, column)) for column in zip(COLUMNS, *rows)]
    lines = [COLUMNS, ["-" * width for width in widths], *rows]
    cores = "one core" if plan["threads"] == 1 else f"{plan['threads']} cores"
    hours = "GPU-hours" if plan["device"] == "cuda" else f"hours on {cores}"
    return "\n".join(
        [
            f"The {plan['preset']} preset, seeds: {plan['seeds']}. Training and scoring in {hours}.",
            "",
            *("| " + " | ".join(cell.rjust(width) for cell, width in zip(line, widths)) + " |" for line in lines),
            "",
            f"Estimated from the sizes of corpora and encoders at {plan['rate']['flops']:.2g} operations a second",
            f"({plan['rate']['from']}).",
            f"Not included: corpora, encoders, and {plan['light']} tables, figures, lists and claims of seconds each.",
        ]
    )


def _row(paper: Mapping) -> list[str]:
    hours, longest, disk = paper["seconds"] / 3600, paper["longest"] / 60, paper["disk_mb"] / 1000
    return [str(paper["jobs"]), f"{hours:.1f}", f"{longest:.0f}", f"{disk:.1f}"]
