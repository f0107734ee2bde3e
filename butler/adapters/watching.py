"""The contracts of a running daemon: read again whenever one of their files has changed."""

from collections.abc import Iterator
from pathlib import Path

from butler.adapters.catalogue import Catalogue, load_catalogue
from butler.adapters.files import Files, kept_files

Mark = tuple[int, int, int] | None


class WatchedCatalogue:
    """The catalogue as the files are now. A query costs one `stat` for each file."""

    def __init__(self, files: Files | None = None) -> None:
        self._files = files or Files()
        self._read()

    def current(self) -> Catalogue:
        """Return what may be used now."""
        if [_mark(path) for path in self._paths] != self._marks:
            self._read()
        return self._catalogue

    def _read(self) -> None:
        # The marks come first, so that files written while they are being read are read again.
        self._paths = list(self._all_paths())
        self._marks = [_mark(path) for path in self._paths]
        self._catalogue = load_catalogue(self._files)

    def _all_paths(self) -> Iterator[Path]:
        """Yield the lock, and all contract files of each module that has or had a contract."""
        yield self._files.lock
        found = (*self._files.modules.glob("*/contract.json"), *self._files.modules.glob("*/contracts"))
        for channel in sorted({path.parent.name for path in found}):
            yield self._files.current(channel)
            yield self._files.kept(channel)
            yield from kept_files(self._files, channel)


def _mark(path: Path) -> Mark:
    """Return a value that changes whenever a file is written; None if it does not exist."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
