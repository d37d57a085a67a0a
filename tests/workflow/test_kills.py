"""A run that is killed at random moments and started again ends bit-identical to an undisturbed one.

`SEMBLANCE_KILLS=50 python -m pytest tests/workflow/test_kills.py` kills a run of all papers fifty times.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

KILLS = int(os.environ.get("SEMBLANCE_KILLS", 0))
FEW = {"kills": 4, "seconds": (3, 8), "config": "preset=tiny save_every=0 papers=[minilm]"}
MANY = {"kills": KILLS, "seconds": (4, 10), "config": "preset=tiny save_every=0"}


def test_killed_at_random_moments_everything_ends_with_the_same_bytes(fresh, finished):
    chosen = MANY if KILLS else FEW
    moments, killed = random.Random(1), []
    while len(killed) < chosen["kills"]:
        snakemake = _started(fresh.path, chosen["config"], moments)
        time.sleep(moments.uniform(*chosen["seconds"]))
        victim = moments.choice(["Snakemake and its jobs", "Snakemake", "a job"])
        ended = snakemake.poll() is not None
        if not ended:
            killed.append(_kill(victim, snakemake))
        # After a killed job, Snakemake finishes the jobs that do not need it. A killed Snakemake leaves its lock.
        snakemake.wait()
        fresh.snakemake("--unlock", config=chosen["config"])
        if ended:
            break
    assert len(killed) > 2, killed
    fresh.snakemake(config=chosen["config"])
    assert not list((fresh.path / "results").rglob(".*.part*")), "something half-written was left behind"
    assert not list((fresh.path / "results").rglob("checkpoint")), "training's state was left behind"
    made = fresh.outcome()
    undisturbed = {name: content for name, content in finished.outcome().items() if name in made}
    assert len(made) > 20 and made == undisturbed


def _started(folder: Path, config: str, moments: random.Random) -> subprocess.Popen:
    """Start Snakemake on one or two cores with a random PYTHONHASHSEED; neither may change the results."""
    command = [sys.executable, "-m", "snakemake", "--config", *config.split(), "--quiet", "all"]
    command += ["--cores", moments.choice("12")]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONHASHSEED": str(moments.randrange(1000))}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True, **quiet)


def _kill(victim: str, snakemake: subprocess.Popen) -> str:
    """Send SIGKILL to a job, to Snakemake, whose jobs then live on, or to all of them; return what was killed."""
    scripts = [process for process in _session(snakemake.pid) if ".snakemake/scripts" in _command(process)]
    if victim == "a job" and scripts:
        what = _command(scripts[0]).split()[-1]
        os.kill(scripts[0], signal.SIGKILL)
        return what
    if victim == "Snakemake":
        snakemake.kill()
    else:
        os.killpg(snakemake.pid, signal.SIGKILL)
    return victim


def _session(leader: int) -> list[int]:
    processes = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [process for process in processes if _leader(process) == leader]


def _leader(process: int) -> int | None:
    try:
        return os.getsid(process)
    except ProcessLookupError:
        return None


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""
