"""A SLURM cluster on this machine for the tests: munged, slurmctld and two slurmd, each with a fake GPU.

It uses Debian's packages, without systemd and accounting. It needs root, and a machine without another SLURM.
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CONFIGURATION = Path("/etc/slurm/slurm.conf")
NEEDED = ("munged", "slurmctld", "slurmd", "sbatch")
NODES = 2
MEMORY_MB = 6000  # of each node in SLURM's configuration

SLURM_CONF = """\
ClusterName=tests
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
StateSaveLocation={state}/ctld
SlurmdSpoolDir={state}/spool-%n
SlurmctldPidFile={state}/slurmctld.pid
SlurmdPidFile={state}/slurmd.%n.pid
SlurmctldLogFile={state}/slurmctld.log
SlurmdLogFile={state}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=5,bf_interval=5
ReturnToService=2
KillWait=5
MinJobAge=600
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=UsePss,OverMemoryKill
GresTypes=gpu
NodeName=DEFAULT CPUs=2 RealMemory={memory} Gres=gpu:1
NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[17001-{last_port}]
PartitionName=cpu Nodes=n[1-{nodes}] Default=YES MaxTime=60 State=UP
PartitionName=gpu Nodes=n[1-{nodes}] MaxTime=60 State=UP
"""
GRES_CONF = "NodeName=n[1-{nodes}] Name=gpu File={state}/gpu\n"


def missing() -> str | None:
    """Return why SLURM cannot be started here; None if it can."""
    if os.geteuid() != 0:
        return "a SLURM of the tests' own takes root"
    absent = [name for name in NEEDED if not shutil.which(name)]
    if absent:
        return f"no {', '.join(absent)} here: apt-get install munge slurmctld slurmd slurm-client"
    if CONFIGURATION.exists():
        return f"{CONFIGURATION} is somebody else's"
    return None


@contextmanager
def running(state: Path) -> Iterator[None]:
    """Run SLURM during the block, with logs in `state`."""
    started: list[subprocess.Popen] = []
    try:
        _configure(state)
        _munge(started, state)
        started.append(_daemon(["slurmctld", "-D"], state))
        for node in range(1, NODES + 1):
            started.append(_daemon(["slurmd", "-D", "-N", f"n{node}"], state))
        _until(_all_idle, f"SLURM's nodes (logs in {state})")
        yield
    finally:
        if CONFIGURATION.exists():
            subprocess.run(["scancel", "--user=root"], capture_output=True, timeout=30)
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait(timeout=30)
        # If a file is left behind, every later run of Snakemake looks for a SLURM that no longer exists.
        for name in ("slurm.conf", "gres.conf"):
            CONFIGURATION.with_name(name).unlink(missing_ok=True)


def _configure(state: Path) -> None:
    for folder in ("ctld", *(f"spool-n{node}" for node in range(1, NODES + 1))):
        (state / folder).mkdir(parents=True)
    os.mknod(state / "gpu", 0o666 | 0o020000, os.makedev(1, 3))  # a device like /dev/null
    host = socket.gethostname().split(".")[0]
    known = {"host": host, "state": state, "nodes": NODES, "last_port": 17000 + NODES, "memory": MEMORY_MB}
    CONFIGURATION.parent.mkdir(exist_ok=True)
    CONFIGURATION.write_text(SLURM_CONF.format(**known))
    CONFIGURATION.with_name("gres.conf").write_text(GRES_CONF.format(**known))


def _munge(started: list, state: Path) -> None:
    if subprocess.run(["munge", "-n"], capture_output=True).returncode == 0:
        return  # the machine already runs it
    key = Path("/etc/munge/munge.key")
    if not key.exists():
        key.parent.mkdir(exist_ok=True)
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        shutil.chown(key, "munge", "munge")
    for folder in (Path("/run/munge"), Path("/var/log/munge")):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
        shutil.chown(folder, "munge", "munge")
    Path("/run/munge/munge.socket.2").unlink(missing_ok=True)
    command = ["setpriv", "--reuid=munge", "--regid=munge", "--clear-groups", "munged", "--foreground"]
    started.append(_daemon(command, state))
    _until(lambda: subprocess.run(["munge", "-n"], capture_output=True).returncode == 0, "munged")


def _daemon(command: list[str], state: Path) -> subprocess.Popen:
    with (state / f"{command[0]}.out").open("ab") as out:
        return subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True)


def _all_idle() -> bool:
    shown = subprocess.run(["sinfo", "--noheader", "--Node", "--partition=cpu", "--format=%T"], capture_output=True)
    return shown.stdout.split() == [b"idle"] * NODES


def _until(there, what: str, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not there():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} did not come up")
        time.sleep(0.2)
