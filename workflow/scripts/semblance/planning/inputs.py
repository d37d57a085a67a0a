"""The user's own folders and files, which are checked before anything runs."""

from collections.abc import Iterator
from pathlib import Path

from semblance.config import own
from semblance.config.files import SETTINGS
from semblance.config.project import Project
from semblance.errors import UserError
from semblance.planning.layout import Layout
from semblance.specs.data import OfficialFiles, UserTable
from semblance.specs.encoders import LocalFiles


def check(project: Project, layout: Layout) -> None:
    """Check that what is still to be read exists; what is prepared already may have come from another machine.

    Raises:
        UserError: for the first folder or file that does not exist, with the key that names it; if the folder of
            corpora has none of their files.
    """
    for where, path, prepared in _named(project, layout):
        if not Path(prepared).exists() and not Path(path).expanduser().exists():
            raise UserError(f"{where}: {path} does not exist")
    sources = {name: project.datasets.source(name) for name in project.datasets_used()}
    official = {name: one for name, one in sources.items() if isinstance(one, OfficialFiles) and one.folder}
    files = [one.path(split) for one in official.values() for split in one.splits]
    folders = [Path(layout.dataset(name)) for name in official]  # of what is prepared already
    if files and not any(one.exists() for one in files + folders):
        raise UserError(
            f"{SETTINGS}: data_folder has none of the files of these papers, such as {files[0]}: "
            "name them as in docs/usage.md"
        )


def _named(project: Project, layout: Layout) -> Iterator[tuple[str, str, str]]:
    """Yield keys, the paths that they name, and what is prepared from these."""
    for name in project.datasets_used():
        source, mine = project.datasets.source(name), name.removeprefix(f"{own.NAME}-")
        if isinstance(source, OfficialFiles) and source.folder:
            yield f"{SETTINGS}: data_folder", source.folder, layout.dataset(name)
        if isinstance(source, UserTable):
            for split in source.splits:
                where = f"config/datasets.yaml: {name}.table.splits.{split}"
                where = where if mine == name else f"{own.WHERE}.pairs.{mine}.file"
                yield where, str(source.path(split)), layout.dataset(name)
    for name in project.encoders_used():
        encoder, mine = project.encoders[name].source, name.removeprefix(f"{own.NAME}-")
        if isinstance(encoder, LocalFiles):
            where = f"{SETTINGS}: encoders.{name}.path" if mine == name else f"{own.WHERE}.models.{mine}.path"
            yield where, encoder.path, layout.encoder(name)
