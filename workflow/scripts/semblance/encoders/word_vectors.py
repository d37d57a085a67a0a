"""Word vectors: Google's through gensim, a local file in word2vec's format, or skip-gram vectors trained here."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors, Word2Vec
from safetensors.numpy import save_file

from semblance.errors import UserError
from semblance.fetching import fetching
from semblance.models.word2vec import FILES, words
from semblance.specs.encoders import HubVectors, LocalFiles, SkipGram


def fetch(source: HubVectors | LocalFiles, folder: Path) -> dict:
    """Convert existing word vectors and save them to `folder`.

    Returns:
        The name of the original file, the number of words and the number of dimensions.

    Raises:
        UserError: if the file is missing, cannot be downloaded, or is not in word2vec's format.
    """
    path = _downloaded(source) if isinstance(source, HubVectors) else Path(source.path).expanduser()
    if not path.is_file():
        raise UserError(
            f"the word vectors' path {str(path)!r} is no file: set encoders.word2vec.path in config/config.yaml"
        )
    try:
        vectors = _read(path)
    except (ValueError, EOFError, OSError) as problem:
        raise UserError(f"{path} is not in word2vec's format, or is truncated ({problem}): fetch it again") from problem
    _save(vectors, folder)
    return {"file": path.name, "words": len(vectors), "dimensions": vectors.vector_size}


def _read(path: Path) -> KeyedVectors:
    """Read a file of either of word2vec's formats; its name does not tell which: Google's binary one ends in .gz."""
    try:
        return KeyedVectors.load_word2vec_format(str(path))
    except ValueError:  # no numbers as text
        return KeyedVectors.load_word2vec_format(str(path), binary=True)


def skip_gram(spec: SkipGram, sentences: Iterable[str], folder: Path, seed: int) -> dict:
    """Train skip-gram vectors (Mikolov et al. 2013) and save them to `folder`.

    Training uses one thread, so that the result depends only on the seed.

    Args:
        spec: dimensions and epochs.
        sentences: the sentences of the corpus.
        folder: where the vectors are saved.
        seed: seed of all random choices.

    Returns:
        The number of words, dimensions and sentences.
    """
    texts = [words(s.lower()) for s in sentences]
    model = Word2Vec(
        texts,
        vector_size=spec.dimensions,
        epochs=spec.epochs,
        sg=1,
        min_count=1,
        workers=1,
        seed=seed,
        hashfxn=_stable,
    )
    _save(model.wv, folder)
    return {"words": len(model.wv), "dimensions": model.wv.vector_size, "sentences": len(texts)}


def _stable(text: str) -> int:
    """Hash a text independently of PYTHONHASHSEED, for gensim's initial vectors."""
    import zlib

    return zlib.crc32(text.encode())


def _downloaded(source: HubVectors) -> Path:
    import gensim.downloader

    otherwise = "set encoders: {word2vec: {source: path, path: …}} in config/config.yaml"
    with fetching(f"gensim's {source.gensim}", otherwise):
        path = Path(gensim.downloader.load(source.gensim, return_path=True))
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "md5").hexdigest()
    if found != source.md5:
        raise UserError(f"{path} fails its checksum (expected md5 {source.md5}): remove it and run again")
    return path


def _save(vectors: KeyedVectors, folder: Path) -> None:
    (folder / FILES[0]).write_bytes("\n".join(vectors.index_to_key).encode("utf-8"))
    save_file({"vectors": np.ascontiguousarray(vectors.vectors, dtype=np.float32)}, folder / FILES[1])
