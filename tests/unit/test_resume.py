"""A job that is killed at any step and started again ends bit-identical to an undisturbed one."""

from pathlib import Path

import pytest

from semblance.config.expand import complete
from semblance.data import rows
from semblance.paths import MODEL
from semblance.specs.computing import Computing
from semblance.specs.run import TaskRows
from semblance.trainers import engine, frozen_encoder
from semblance.trainers.work import Training
from semblance.training import checkpoint
from semblance.training.checkpoint import Checkpoint, Meter
from small import TEXTS, write_encoder

COMPUTING = Computing("cpu", "fp32", 1)
STAGE = {"epochs": 2, "batch_size": 4, "learning_rate": 1e-2}
SELECT = {"on": "binary/dev", "metric": "f1"}
SMART = {"smart": {"smoothness": 5.0, "proximity": 1.0, "epsilon": 1e-3}}
MULTITASK = {"kind": "multitask", "max_length": 40, "pooling": "mean", "heads": ["binary"], "features": ["u", "v"]}
RUNS = {
    "stages with SMART, the best of which is kept": {
        "model": {**MULTITASK, "dropout": 0.3},
        "stages": [
            {**STAGE, "on": "binary", "objective": "binary-cross-entropy", "regularizer": SMART, "select": SELECT},
            {**STAGE, "on": "score", "objective": "score-squared-error"},
        ],
        "select_stage": [SELECT],
    },
    "a frozen start, watched": {
        "model": {"kind": "cross-encoder", "max_length": 40},
        "stages": [
            {
                **STAGE,
                "on": "binary",
                "objective": "binary-cross-entropy",
                "frozen_epochs": 1,
                "optimizer": "sgd",
                "schedule": "milestones",
                "milestones": (1,),
                "watch": "binary/dev",
                "watch_every": 2,
            }
        ],
        "select_stage": [],
    },
}
NETWORKS = [
    {"extraction": "plain", "blocks": "last", "attention": ["late"], "fusion": "max-avg"},
    {"extraction": "afe", "blocks": "all", "attention": ["sa", "fa-3"], "fusion": "rfm"},
]


class Killed(BaseException):
    pass


class Deadly(Checkpoint):
    """Saves after every step, and kills the job after `saves` of them."""

    def __init__(self, file: Path, saves: int):
        super().__init__(file, every=0)
        self.left = saves

    def save(self, **state):
        super().save(**state)
        self.left -= 1
        if not self.left:
            raise Killed


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return write_encoder("bert", tmp_path_factory.mktemp("bert"))


@pytest.fixture
def data(make_pairs, tmp_path) -> dict[str, Path]:
    pairs = list(zip(TEXTS * 3, TEXTS[1:] * 4))
    kinds = {
        "binary": make_pairs(*[(a, b, float(n % 2)) for n, (a, b) in enumerate(pairs)]),
        "score": make_pairs(*[(a, b, float(n % 5)) for n, (a, b) in enumerate(pairs)], kind="score"),
    }
    places = {}
    for kind, found in kinds.items():
        for split, part in (("train", found), ("dev", found.take(range(6)))):
            places[f"{kind}/{split}"] = tmp_path / f"{kind}-{split}.parquet"
            rows.write(places[f"{kind}/{split}"], part)
    return places


def outcome(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}


def training(specs: dict, data: dict[str, Path], folders: dict[str, Path], encoder: Path, task: TaskRows) -> Training:
    made_by, state = {run: {} for run in specs}, Path("not used")
    for folder in folders.values():
        (folder / MODEL).mkdir(parents=True)
    return Training(specs, data, COMPUTING, made_by, folders, 1, encoder, state, 0, dict.fromkeys(specs, task))


def until_done(train, folder: Path, state: Path, saves: int) -> tuple[dict[str, bytes], int]:
    """Start a job, killed after `saves` saves, until it ends; return its files and the number of starts."""
    for starts in range(1, 99):
        outputs = folder / str(starts)
        outputs.mkdir(parents=True)
        try:
            train(outputs, Deadly(state, saves))
        except Killed:
            continue
        return outcome(outputs), starts
    raise AssertionError("it never ended")


@pytest.mark.parametrize("name", RUNS)
def test_a_run_killed_after_every_step_ends_with_the_same_bytes(name, encoder, data, tmp_path, monkeypatch):
    on = RUNS[name]["stages"][-1]["on"]

    def train(outputs, state):
        monkeypatch.setattr(engine, "Checkpoint", lambda *_: state)
        spec, task = complete(RUNS[name], "here"), TaskRows(f"{on}/dev", f"{on}/train")
        engine.train(training({"run": spec}, data, {"run": outputs}, encoder, task))

    (tmp_path / "calm").mkdir()
    train(tmp_path / "calm", Checkpoint(tmp_path / "calm.pt", every=1e9))
    steps = 6 * len(RUNS[name]["stages"])
    for saves, least in ((1, steps), (4, steps // 4)):
        made, starts = until_done(train, tmp_path / f"killed-{saves}", tmp_path / f"{saves}.pt", saves)
        assert made == outcome(tmp_path / "calm") and starts > least


def test_networks_killed_side_by_side_end_with_the_same_bytes(encoder, data, tmp_path, monkeypatch):
    stage = {**STAGE, "on": "binary", "objective": "cross-entropy", "optimizer": "adam"}
    stage["select"] = {"on": "binary/dev", "metric": "class-accuracy", "patience": 1}
    specs = {
        str(number): complete(
            {
                "model": {"kind": "siamese-3d", "classes": 2, "max_length": 24, "network": network},
                "stages": [stage],
            },
            "here",
        )
        for number, network in enumerate(NETWORKS)
    }

    def train(outputs, state):
        folders = {run: outputs / run for run in specs}
        monkeypatch.setattr(frozen_encoder, "Checkpoint", lambda *_: state)
        frozen_encoder.train(training(specs, data, folders, encoder, TaskRows("binary/dev", "binary/train")))

    (tmp_path / "calm").mkdir()
    train(tmp_path / "calm", Checkpoint(tmp_path / "calm.pt", every=1e9))
    made, starts = until_done(train, tmp_path / "killed", tmp_path / "state.pt", 1)
    assert made == outcome(tmp_path / "calm") and starts > 3


def test_a_torn_state_is_as_good_as_none(tmp_path, capsys):
    (tmp_path / "state.pt").write_bytes(b"torn")
    assert Checkpoint(tmp_path / "state.pt", every=0).saved == {}
    assert "cannot be read, starting from the beginning" in capsys.readouterr().out


def test_a_state_that_would_run_code_is_refused(tmp_path):
    import pickle

    class Evil:
        def __reduce__(self):
            return Path.touch, (tmp_path / "ran",)

    (tmp_path / "state.pt").write_bytes(pickle.dumps(Evil()))
    assert Checkpoint(tmp_path / "state.pt", every=0).saved == {} and not (tmp_path / "ran").exists()


def test_a_state_is_due_when_its_time_has_come(tmp_path, monkeypatch):
    now = iter([0.0, 9.0, 10.0, 12.0, 21.0, 22.0])
    monkeypatch.setattr(checkpoint.time, "monotonic", lambda: next(now))
    state = Checkpoint(tmp_path / "state.pt", every=10)
    assert not state.due() and state.due()
    state.save(step=3)
    assert not state.due() and state.due()


def test_seconds_and_peak_memory_before_an_interruption_count():
    meter = Meter()
    assert 0 < meter.facts()["peak_memory_mb"] < 10**6 and meter.facts()["gpu_peak_memory_mb"] is None
    meter.load_state_dict({"seconds": 60.0, "peak_memory_mb": 10**6, "gpu_peak_memory_mb": 7})
    found = meter.facts()
    assert (found["peak_memory_mb"], found["gpu_peak_memory_mb"]) == (10**6, 7) and 60 <= found["seconds"] < 70
