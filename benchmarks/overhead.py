"""Compute the overhead of a finished run: starting processes, imports, Snakemake itself, waiting.

/usr/bin/time -f %e make demo                            # a run from scratch; prints its seconds
python benchmarks/overhead.py results/logs/demo 519 2    # for 519 seconds on 2 cores
"""

import argparse
import re
from collections import Counter
from pathlib import Path

SAID = re.compile(r"^processor time: ([\d.]+) s of work, ([\d.]+) s to start and import$", re.MULTILINE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", type=Path)
    parser.add_argument("clock", type=float, help="seconds that the run took")
    parser.add_argument("cores", type=int)
    chosen = parser.parse_args()
    worked: Counter[str] = Counter()
    jobs, starting = 0, 0.0
    for log in chosen.logs.rglob("*.log"):
        for work, start in SAID.findall(log.read_text(encoding="utf-8", errors="replace")):
            # runs/{paper}/{job}/seed-{n}/train.log; else encoders/bert.log and similar
            place = log.relative_to(chosen.logs).parts
            worked[log.stem if place[0] == "runs" else place[0]] += float(work)
            starting += float(start)
            jobs += 1
    whole, all_work = chosen.clock * chosen.cores, sum(worked.values())
    for what, seconds in worked.most_common():
        print(f"{what:16} {seconds:9.1f} s of processor time")
    print(f"{'start and import':16} {starting:9.1f} s of processor time")
    print(f"{jobs} jobs worked {all_work:.0f} of {whole:.0f} s; {1 - all_work / whole:.0%} was not work")


if __name__ == "__main__":
    main()
