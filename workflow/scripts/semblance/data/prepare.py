"""Preparation of a dataset: read, validate and deduplicate rows across splits, then write them with statistics."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path

import numpy as np

from semblance.data import rows, sources
from semblance.data.cues import overlap_auc
from semblance.data.formats import Row
from semblance.data.rows import Pairs
from semblance.errors import UserError
from semblance.files import sha256, write_json
from semblance.paths import FACTS
from semblance.registry import LABELS
from semblance.specs.data import DatasetSpec, GeneratedCorpus, Source
from semblance.specs.facts import DatasetFacts, SplitFacts

SEED = 13  # for held-out splits and subsampling
EVALUATED = ("test", "validation", "dev", "selection")  # priority of splits for a shared pair; train comes last


def prepare(name: str, spec: DatasetSpec, source: Source, folder: Path) -> None:
    """Write every split of a dataset as parquet, and the statistics of its rows as JSON.

    A pair that occurs in several splits stays only in the first of test, validation, dev, selection and train. Thus no
    scored pair is also used for tuning or training, and the first of these splits never loses rows to another one.

    Args:
        name: name of the dataset, for messages and statistics.
        spec: what the dataset is.
        source: where its rows come from.
        folder: destination of the splits, and of the facts: source, rows read, dropped and used, and checksums.

    Raises:
        UserError: if a row is invalid or a split has no rows left.
    """
    held_out = {split: rule for split, rule in spec.held_out.items() if not sources.available(source, split)}
    shipped = [split for split in spec.splits if split not in held_out]
    found: dict[str, Pairs] = {}
    record: dict[str, dict] = {}
    for split in shipped:
        read = sources.rows(source, split)
        found[split], dropped = _validated(read, f"{name}: {_file(source, split)}", split, spec)
        counts = {"read": len(found[split]) + sum(dropped.values()), **dropped}
        counts |= _labels_read(found[split]) | _groups("groups_read", found[split])
        record[split] = counts | sources.provenance(source, split)
    for split, rule in held_out.items():
        found[split], found[rule.split] = _split_off(found[rule.split], rule.rows)
        record[split] = {"held_out_of": rule.split, "read": len(found[split])} | _labels_read(found[split])
    _drop_overlaps(found, record)
    for split in spec.splits:
        limit = spec.rows.get(split)
        sampled = _sampled_premises if spec.sampled_by == "premise" else _sampled
        pairs = sampled(found[split], limit) if limit else found[split]
        if not len(pairs):
            raise UserError(f"{name}/{split} has no row left: check the files it is read from")
        file = folder / f"{split}.parquet"
        rows.write(file, pairs)
        record[split] |= _counts(pairs) | {"parquet_sha256": sha256(file)}
    for split in spec.unlabelled:
        there = sources.available(source, split)
        record[split] = {"read": sum(1 for _ in sources.rows(source, split)) if there else None, "used": 0}
    facts = DatasetFacts(
        dataset=name,
        version=spec.version,
        source=source.kind,
        label=spec.label,
        splits={split: SplitFacts(**found) for split, found in record.items()},
    )
    write_json(folder / FACTS, facts)


def _file(source: Source, split: str) -> str:
    """Return the name of a split's file for messages."""
    return split if isinstance(source, GeneratedCorpus) else source.splits.get(split, split)


def _validated(read: Iterable[Row], file: str, split: str, spec: DatasetSpec) -> tuple[Pairs, dict]:
    """Return the valid rows, and the number of rows dropped as empty, too short, or without an agreed class."""
    kind = LABELS[spec.label]
    low, high = kind.range
    valid: list[tuple] = []
    dropped = {"empty": 0, "short": 0} | ({"undecided": 0} if kind.undecided else {})
    for row in read:
        where = f"{file} row {row.line}"
        texts = (row.sentence1,) if kind.single else (row.sentence1, row.sentence2)
        _require_unicode(texts, where)
        shortest = min(len(text.strip()) for text in texts)
        if shortest == 0 or row.label == "":
            if spec.empty_text == "refuse":
                missing = "a sentence" if shortest == 0 else "the label"
                raise UserError(
                    f"{where}: {missing} is empty: correct the file, or set empty_text: drop in config/datasets.yaml"
                )
            dropped["empty"] += 1
            continue
        if shortest < spec.minimum_characters:
            dropped["short"] += 1
            continue
        if row.label in kind.undecided:
            dropped["undecided"] += 1
            continue
        label = _label(row.label, kind.classes, where)
        if not low <= label <= high or (not kind.is_score and label != int(label)):
            allowed = "0 or 1" if kind.is_binary else f"from {low:g} to {high:g}"
            raise UserError(f"{where}: the label is {row.label!r}, but must be {allowed}: is this the labelled file?")
        valid.append((f"{split}-{row.line}", row.sentence1, row.sentence2, label, row.group))
    if not valid:
        why = ", ".join(f"{count:,} {name}" for name, count in dropped.items() if count)
        raise UserError(f"{file} has no row to use ({why or 'it is empty'}): fetch it again, or read another file")
    ids, first, second, labels, groups = map(list, zip(*valid, strict=True))
    return Pairs(ids, first, second, np.array(labels, dtype=float), groups, spec.label), dropped


def _require_unicode(texts: Iterable[str], where: str) -> None:
    """Refuse half a surrogate pair, which JSON can escape and no file can hold."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError as problem:
        raise UserError(f"{where}: a text is no valid Unicode ({problem}): correct the file") from None


def _label(text: str | None, classes: Sequence[str], where: str) -> float:
    if text in classes:
        return float(classes.index(text))
    try:
        return float(text)
    except (TypeError, ValueError):
        wanted = f"one of {', '.join(classes)}" if classes else "a number"
        raise UserError(
            f"{where}: the label {text!r} is not {wanted}: is this the labelled file, and the whole of it?"
        ) from None


def _split_off(pairs: Pairs, count: int) -> tuple[Pairs, Pairs]:
    """Split off `count` random rows, but at most a tenth of a small corpus; return them and the rest."""
    chosen = set(random.Random(SEED).sample(range(len(pairs)), min(count, len(pairs) // 10)))
    inside = [i for i in range(len(pairs)) if i in chosen]
    return pairs.take(inside), pairs.take([i for i in range(len(pairs)) if i not in chosen])


def _sampled(pairs: Pairs, limit: int) -> Pairs:
    if len(pairs) <= limit:
        return pairs
    return pairs.take(sorted(random.Random(SEED).sample(range(len(pairs)), limit)))


def _sampled_premises(pairs: Pairs, limit: int) -> Pairs:
    """Return all rows of random first sentences, at most `limit` rows."""
    rows_of = defaultdict(list)
    for row, premise in enumerate(pairs.sentence1):
        rows_of[premise].append(row)
    premises = random.Random(SEED).sample(list(rows_of), len(rows_of))
    ends = accumulate(len(rows_of[premise]) for premise in premises)
    inside = [premise for premise, end in zip(premises, ends, strict=True) if end <= limit]
    return pairs.take(sorted(row for premise in inside for row in rows_of[premise]))


def _drop_overlaps(found: dict[str, Pairs], record: dict[str, dict]) -> None:
    claimed: set = set()
    for split in sorted(found, key=lambda s: EVALUATED.index(s) if s in EVALUATED else len(EVALUATED)):
        keys = found[split].pair_keys()
        new = [i for i, key in enumerate(keys) if key not in claimed]
        record[split]["overlapping"] = len(keys) - len(new)
        if len(new) < len(keys):
            found[split] = found[split].take(new)
        claimed.update(keys)


def _counts(pairs: Pairs) -> dict:
    counts = {"used": len(pairs), "label_mean": round(float(pairs.label.mean()), 4)}
    kind = LABELS[pairs.kind]
    if kind.is_binary:
        counts["positive"] = int(pairs.label.sum())
        counts["overlap_auc"] = overlap_auc(pairs.sentence1, pairs.sentence2, pairs.label == 1)
    if kind.classes:
        counts["classes"] = {name: int((pairs.label == n).sum()) for n, name in enumerate(kind.classes)}
    return counts | _groups("groups", pairs)


def _labels_read(pairs: Pairs) -> dict[str, list[int]]:
    """Return the number of rows of each label or class, or nothing for scores."""
    if LABELS[pairs.kind].is_score:
        return {}
    return {"labels_read": np.bincount(pairs.label.astype(int)).tolist()}


def _groups(name: str, pairs: Pairs) -> dict[str, dict[str, int]]:
    """Return the number of pairs of each group under a name, or nothing if they have none."""
    counted = Counter(group for group in pairs.group if group is not None)
    return {name: dict(sorted(counted.items()))} if counted else {}
