"""Sources of rows: the hub, a public repository, official files, a user's or the project's own file, the generator."""

import hashlib
import random
import tempfile
from collections.abc import Callable, Iterator
from http.client import HTTPException
from pathlib import Path
from urllib.request import urlopen

from semblance.data import tables
from semblance.data.formats import Row, reader
from semblance.data.generator import corpora, reviews, stress
from semblance.data.generator.grammar import Grammar
from semblance.errors import UserError
from semblance.fetching import fetching
from semblance.files import sha256
from semblance.paths import GRAMMAR
from semblance.specs.data import GeneratedCorpus, HubTable, OfficialFiles, RepositoryFiles, Source, UserTable

GENERATED = {
    "duplicates": corpora.duplicates,
    "graded": corpora.graded,
    "inference": corpora.inference,
    "stress": stress.stress,
    "sentiment": reviews.sentiment,
    "polarity": reviews.polarity,
}
OTHERWISE = "set data_source: files with data_folder in config/config.yaml"
SEED = 20  # of the generator; another seed gives another corpus


def rows(source: Source, split: str) -> Iterator[Row]:
    """Yield the rows of one split from its source.

    Raises:
        UserError: if the split cannot be read.
    """
    return READERS[type(source)](source, split)


def provenance(source: Source, split: str) -> dict:
    """Return the facts that identify the rows of a split, such as a revision or a checksum."""
    if isinstance(source, HubTable):
        return {"repository": source.repo, "revision": source.revision}
    if isinstance(source, RepositoryFiles):
        return {"file": source.splits[split], "commit": source.commit, "git_blob": source.blobs[split]}
    if isinstance(source, GeneratedCorpus):
        return {"grammar": sha256(GRAMMAR), "seed": SEED}
    return {"file": source.splits[split], "sha256": sha256(source.path(split))}


def available(source: Source, split: str) -> bool:
    """Return whether the source has this split; unlabelled splits may be missing."""
    if isinstance(source, GeneratedCorpus):
        return split in source.rows
    on_disk = isinstance(source, OfficialFiles | UserTable)
    return split in source.splits and (not on_disk or source.path(split).exists())


def _from_table(source: UserTable, split: str) -> Iterator[Row]:
    return tables.read(source, source.path(split))


def _from_files(source: OfficialFiles, split: str) -> Iterator[Row]:
    return reader(source.format)(source.path(split), split)


def _from_repository(source: RepositoryFiles, split: str) -> Iterator[Row]:
    """Yield the rows of a file at a pinned commit, after checking its git blob id."""
    url = f"{source.url}/{source.commit}/{source.splits[split]}"
    # HTTPException: a download that breaks off.
    with fetching(url, OTHERWISE, (OSError, HTTPException)), urlopen(url, timeout=60) as answer:
        content = answer.read()
    if git_blob_id(content) != source.blobs[split]:
        raise UserError(
            f"{url} is not the file with git blob id {source.blobs[split][:12]}…: it is truncated or altered"
        )
    with tempfile.NamedTemporaryFile(suffix=Path(url).name) as file:
        file.write(content)
        file.flush()
        yield from reader(source.format)(Path(file.name), split)


def _from_hub(source: HubTable, split: str) -> Iterator[Row]:
    from datasets import disable_progress_bars, load_dataset

    disable_progress_bars()
    name = f"{source.repo} at {source.revision[:8]}"
    with fetching(f"{name} on the hub", OTHERWISE):
        table = load_dataset(source.repo, source.configuration, split=source.splits[split], revision=source.revision)
    columns = source.columns
    for column in columns.values():
        if column not in table.column_names:
            raise UserError(f"{name}: there is no column {column!r}, only {', '.join(table.column_names)}")
    for number, record in enumerate(table, start=1):
        group = record[columns["group"]] if "group" in columns else None
        first, second = (record[columns[c]] for c in ("sentence1", "sentence2"))
        yield Row(number, first or "", second or "", str(record[columns["label"]]), group)


def _from_generator(source: GeneratedCorpus, split: str) -> Iterator[Row]:
    grammar = Grammar.load(GRAMMAR)
    stressful = source.corpus == "stress"
    partition = f"stress-{split}" if stressful else split
    seed = f"{SEED}/{source.stream or source.corpus}/{split}"
    stream = corpora.Source(grammar, random.Random(seed), partition)
    count = source.rows[split] // (len(stress.TYPES) if stressful else 1)
    write = GENERATED[source.corpus]
    for number, pair in enumerate(write(stream, count), start=1):
        yield Row(number, pair.sentence1, pair.sentence2, str(pair.label), pair.group)


def git_blob_id(content: bytes) -> str:
    """Return git's object id of a file: the SHA-1 of a header with the length, followed by the content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


READERS: dict[type, Callable[..., Iterator[Row]]] = {
    HubTable: _from_hub,
    RepositoryFiles: _from_repository,
    OfficialFiles: _from_files,
    UserTable: _from_table,
    GeneratedCorpus: _from_generator,
}
