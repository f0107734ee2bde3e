"""The backup file: a .tar.gz of tables as JSON lines, blobs, and last a manifest that names and counts them all.

It holds nothing specific to its database, so that it can be restored into another kind.
"""

import hashlib
import io
import json
import os
import tarfile
import tempfile
import zlib
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError

from butler.contract.errors import Refuse
from butler.contract.records import Record
from butler.store.blobs import DIGEST
from butler.store.progress import Progress, Stage, Tell, ignore_progress

FORMAT = 1
MANIFEST = "manifest.json"
TABLES = "tables/"
BLOBS = "blobs/"
SPOOL = 1 << 20
DAMAGE = (tarfile.TarError, EOFError, zlib.error)
"""The errors that reading a damaged archive raises."""


class TableEntry(Record):
    """A table in the archive."""

    rows: int
    sha256: str


class Manifest(Record):
    """What an archive holds."""

    format: int
    revision: str
    made_at: str
    tables: dict[str, TableEntry]
    blobs: int


class ArchiveWriter:
    """Adds tables and blobs to a new archive."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self.tables: dict[str, TableEntry] = {}
        self.blobs = 0

    def add_table(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write all rows, one JSON object a line."""
        count, digest = 0, hashlib.sha256()
        with tempfile.SpooledTemporaryFile(SPOOL) as spool:  # tar needs the size first
            for row in rows:
                line = json.dumps(dict(row), separators=(",", ":")).encode() + b"\n"
                spool.write(line)
                digest.update(line)
                count += 1
            self._add(f"{TABLES}{name}.jsonl", spool)
        self.tables[name] = TableEntry(rows=count, sha256=digest.hexdigest())

    def add_blob(self, digest: str, data: bytes) -> None:
        """Write one blob."""
        self._add(f"{BLOBS}{digest}", io.BytesIO(data))
        self.blobs += 1

    def finish(self, revision: str, made_at: str) -> None:
        """Write the manifest."""
        manifest = Manifest(format=FORMAT, revision=revision, made_at=made_at, tables=self.tables, blobs=self.blobs)
        self._add(MANIFEST, io.BytesIO(manifest.model_dump_json(indent=2).encode()))

    def _add(self, name: str, file: IO[bytes]) -> None:
        info = tarfile.TarInfo(name)
        info.size = file.seek(0, os.SEEK_END)
        info.mode = 0o600
        file.seek(0)
        self._tar.addfile(info, file)


@contextmanager
def writing(path: Path) -> Generator[ArchiveWriter]:
    """Create the archive `path`, 0600: complete and on disk, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".backup-")
    try:
        with os.fdopen(handle, "wb") as file:
            with tarfile.open(fileobj=file, mode="w:gz", compresslevel=6) as tar:
                yield ArchiveWriter(tar)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def members(path: Path, tell: Tell = ignore_progress) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield names and open contents, in order. `tell` receives the number of bytes read so far.

    Read a member before asking for the next: the archive is read once as a stream, and no member is held whole in
    memory.
    """
    with path.open("rb") as packed, tarfile.open(fileobj=packed, mode="r|gz") as tar:
        size = path.stat().st_size
        for info in tar:
            file = tar.extractfile(info)
            if file is None:
                raise damaged(path, f"{info.name} is no file")
            yield info.name, file
            tell(Progress(Stage.CHECK, packed.tell(), size))


def verify(path: Path, tell: Tell = ignore_progress) -> Manifest:
    """Read the whole archive and compare it with its manifest.

    Raises `Refuse` if they differ, and for a file that is no archive or is truncated.
    """
    try:
        return _verified(path, tell)
    except (*DAMAGE, OSError) as error:
        raise damaged(path, str(error)) from None


def _verified(path: Path, tell: Tell) -> Manifest:
    manifest: Manifest | None = None
    tables: dict[str, TableEntry] = {}
    blobs = 0
    for name, file in members(path, tell):
        if name == MANIFEST:
            manifest = _manifest(path, file.read())
        elif (table := table_of(name)) is not None:
            tables[table] = _counted(file)
        elif (digest := blob_of(name)) is not None:
            if hashlib.sha256(file.read()).hexdigest() != digest:
                raise damaged(path, f"{name} was changed")
            blobs += 1
        else:
            raise damaged(path, f"it holds {name}, which no backup does")
    if manifest is None:
        raise damaged(path, "its manifest is missing")
    if (tables, blobs) != (manifest.tables, manifest.blobs):
        raise damaged(path, "its contents are not those that its manifest lists")
    return manifest


def table_of(name: str) -> str | None:
    """Return the table that a member holds."""
    table = name.removeprefix(TABLES).removesuffix(".jsonl")
    return table if name == f"{TABLES}{table}.jsonl" and table.isidentifier() else None


def blob_of(name: str) -> str | None:
    """Return the digest of the blob that a member holds."""
    digest = name.removeprefix(BLOBS)
    return digest if name == f"{BLOBS}{digest}" and DIGEST.fullmatch(digest) else None


def _counted(file: IO[bytes]) -> TableEntry:
    rows, digest = 0, hashlib.sha256()
    while portion := file.read(SPOOL):
        rows += portion.count(b"\n")
        digest.update(portion)
    return TableEntry(rows=rows, sha256=digest.hexdigest())


def _manifest(path: Path, data: bytes) -> Manifest:
    try:
        manifest = Manifest.model_validate_json(data)
    except ValidationError:
        raise damaged(path, "its manifest cannot be read") from None
    if manifest.format != FORMAT:
        raise Refuse(f"{path} has format {manifest.format}, this Butler reads {FORMAT}; use the Butler that made it")
    return manifest


def damaged(path: Path, what: str) -> Refuse:
    """Build the error for an archive with wrong contents."""
    return Refuse(f"{path} is not a whole backup ({what}); use another one")
