"""Word vectors: read from files in word2vec's formats, or trained reproducibly."""

import os
import subprocess
import sys

import numpy as np
import pytest
from gensim.models import KeyedVectors

from semblance.encoders import word_vectors
from semblance.errors import UserError
from semblance.models import word2vec
from semblance.specs.encoders import LocalFiles, SkipGram, Text
from semblance.specs.run import ModelSpec

TRAIN = """
import sys
from pathlib import Path
from semblance.encoders import word_vectors
from semblance.specs.encoders import SkipGram, Text
sentences = [f"the cat number {n} sat on mat {n % 7}" for n in range(60)]
word_vectors.skip_gram(SkipGram(Text(), dimensions=8, epochs=2), sentences, Path(sys.argv[1]), seed=1)
"""


@pytest.mark.parametrize("name", ["vectors.txt", "vectors.txt.gz", "vectors.bin", "google.gz"])
def test_a_local_file_in_word2vecs_format_is_read(tmp_path, name):
    vectors = KeyedVectors(vector_size=3)
    vectors.add_vectors(["cat", "Dog"], np.array([[1, 2, 3], [4, 5, 6]], np.float32))
    vectors.save_word2vec_format(str(tmp_path / name), binary=".txt" not in name)
    (tmp_path / "out").mkdir()
    facts = word_vectors.fetch(LocalFiles(str(tmp_path / name)), tmp_path / "out")
    assert facts == {"file": name, "words": 2, "dimensions": 3}
    assert word2vec.Model.open(ModelSpec("word2vec"), tmp_path / "out", "cpu").embed("A cat").tolist() == [1, 2, 3]


def test_words_with_other_ends_of_lines_keep_their_own_vectors(tmp_path):
    vectors = KeyedVectors(vector_size=1)
    vectors.add_vectors(["a\x85b", "c\u2028d", "e\rf", "cat"], np.arange(4, dtype=np.float32)[:, None])
    vectors.save_word2vec_format(str(tmp_path / "v.bin"), binary=True)
    (tmp_path / "out").mkdir()
    word_vectors.fetch(LocalFiles(str(tmp_path / "v.bin")), tmp_path / "out")
    assert word2vec.Model.open(ModelSpec("word2vec"), tmp_path / "out", "cpu").embed("cat").tolist() == [3]


def test_a_torn_or_missing_file_is_said(tmp_path):
    (tmp_path / "torn.bin").write_bytes(b"3 300\ncat ")
    with pytest.raises(UserError, match="not in word2vec's format, or is truncated"):
        word_vectors.fetch(LocalFiles(str(tmp_path / "torn.bin")), tmp_path)
    with pytest.raises(UserError, match="is no file: set encoders.word2vec.path"):
        word_vectors.fetch(LocalFiles(str(tmp_path / "none.bin")), tmp_path)


def test_skip_gram_is_the_same_whatever_the_hash_seed(tmp_path, root):
    made = []
    for hash_seed in ("1", "2"):
        folder = tmp_path / hash_seed
        folder.mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(root / "workflow/scripts")}
        subprocess.run([sys.executable, "-c", TRAIN, str(folder)], env=environment, check=True)
        made.append([(folder / name).read_bytes() for name in word2vec.FILES])
    assert made[0] == made[1]


def test_words_are_trained_in_lower_case(tmp_path):
    spec = SkipGram(Text(), dimensions=2, epochs=1)
    facts = word_vectors.skip_gram(spec, ["The cat sat.", "the Cat SAT!"], tmp_path, seed=1)
    assert facts == {"words": 3, "dimensions": 2, "sentences": 2}
    assert {*(tmp_path / "words.txt").read_text().split("\n")} == {"the", "cat", "sat"}
