"""The contracts of a running house: read anew whenever one of their files has changed, so that nothing goes by that."""

from collections.abc import Iterator
from pathlib import Path

from butler.adapters.catalogue import Catalogue, load_catalogue
from butler.adapters.files import Files, kept_files

Mark = tuple[int, int, int] | None


class WatchedCatalogue:
    """The catalogue as the files are now. Asking costs a look at each file's time, no more."""

    def __init__(self, files: Files | None = None) -> None:
        self._files = files or Files()
        self._read()

    def current(self) -> Catalogue:
        """What may be used now."""
        if [_mark(path) for path in self._paths] != self._marks:
            self._read()
        return self._catalogue

    def _read(self) -> None:
        # The marks come first: what is written while the files are being read is read again.
        self._paths = list(self._all_paths())
        self._marks = [_mark(path) for path in self._paths]
        self._catalogue = load_catalogue(self._files)

    def _all_paths(self) -> Iterator[Path]:
        """The lock; and of each module that has a contract or had one, whatever belongs to it."""
        yield self._files.lock
        found = (*self._files.modules.glob("*/contract.json"), *self._files.modules.glob("*/contracts"))
        for channel in sorted({path.parent.name for path in found}):
            yield self._files.current(channel)
            yield self._files.kept(channel)
            yield from kept_files(self._files, channel)


def _mark(path: Path) -> Mark:
    """What changes whenever a file is written; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
