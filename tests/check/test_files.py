"""Outputs appear complete or not at all, and partial files of killed jobs are removed."""

import os
import socket
import subprocess
import time

import pytest

from semblance.files import whole_file, whole_folder


def test_a_file_appears_when_it_is_whole_and_not_when_writing_it_fails(tmp_path):
    path = tmp_path / "deep" / "table.csv"
    with pytest.raises(RuntimeError), whole_file(path) as part:
        part.write_text("half")
        raise RuntimeError
    assert list(path.parent.iterdir()) == []
    with whole_file(path) as part:
        part.write_text("whole")
        assert not path.exists()
    assert path.read_text() == "whole" and list(path.parent.iterdir()) == [path]


def test_a_folder_replaces_the_last_one_when_it_is_whole(tmp_path):
    path = tmp_path / "model"
    for content in ("first", "second"):
        with whole_folder(path) as part:
            (part / content).touch()
    assert [file.name for file in path.iterdir()] == ["second"] and list(tmp_path.iterdir()) == [path]


def test_what_a_killed_job_left_goes_and_its_neighbours_stay(tmp_path):
    ended = subprocess.Popen(["true"])
    ended.wait()
    here = socket.gethostname()
    (tmp_path / f".model.part-{here}-{ended.pid}").mkdir()
    (tmp_path / f".model.part-{here}-{ended.pid}/weights").touch()
    (tmp_path / f".facts.json.part-{here}-{ended.pid}").touch()
    stays = [
        f".model[1].part-{here}-{ended.pid}",  # belongs to another file
        f".model.part-{here}-{os.getppid()}",  # its process is alive
        f".model.part-not-{here}-{ended.pid}",  # another host, whose processes are unknown here
    ]
    for name in stays:
        (tmp_path / name).mkdir()
    with whole_folder(tmp_path / "model"):
        pass
    with whole_file(tmp_path / "facts.json") as part:
        part.touch()
    assert {path.name for path in tmp_path.iterdir()} == {"facts.json", "model", *stays}
    long_ago = time.time() - 2 * 86400
    os.utime(tmp_path / stays[2], (long_ago, long_ago))
    with whole_folder(tmp_path / "model"):
        pass
    assert (tmp_path / stays[1]).exists() and not (tmp_path / stays[2]).exists()
