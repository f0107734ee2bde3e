"""The readable folders of this machine, and safe opening of what they contain.

A path is resolved first, so that links inside a root work, and must then be inside a root. It is opened from that root
part by part without following links, so that swapping a folder for a link in between opens nothing.
"""

import os
import stat
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from butler.agents.connector.failures import NotFetchedError, locked, missing, refused, unreadable
from butler.contract.errors import ConfigError
from butler.contract.speech import say

SETTING = "roots in [connector]"
_SYSTEM = ("/dev", "/proc", "/sys")
"""Their files expose the state of this machine, including the daemon's own environment."""
_RUN = "/run"
"""Closed like `_SYSTEM`, but a root may be inside it, because disks are mounted below it too."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""Non-blocking: opening a pipe without a writer would wait."""


class Roots:
    """The folders of `[connector] roots`. Every method blocks, and raises `NotFetchedError`."""

    def __init__(self, roots: Sequence[str], never: Iterable[Path] = ()) -> None:
        """`never` lists files and folders that are never read, even within roots, such as Butler's own data.

        Raises `ConfigError` for a root that is not an absolute path.
        """
        self._roots = tuple(os.path.expanduser(root) for root in roots)  # noqa: PTH111 - texts as they are written
        for root in self._roots:
            if not os.path.isabs(root):  # noqa: PTH117 - the same
                raise ConfigError(f"{SETTING}: {root!r} is no whole path; write it from / on")
        self._never = (*map(str, never), *_SYSTEM)

    @cached_property
    def _closed(self) -> tuple[str, ...]:
        return tuple(map(os.path.realpath, self._never))

    def folders(self) -> list[str]:
        """Return the real paths of the existing roots; raise if there are none."""
        if not self._roots:
            raise refused(
                say("no files of this machine may be read yet; add a folder to {setting}", setting=SETTING), "roots"
            )
        real = map(os.path.realpath, self._roots)
        found = list(dict.fromkeys(path for path in real if os.path.isdir(path)))  # noqa: PTH112 - texts
        if not found:
            raise missing(
                say(
                    "none of the folders that may be read is there: {folders} ({setting})",
                    folders=", ".join(self._roots),
                    setting=SETTING,
                ),
                "roots",
            )
        return found

    def find(self, text: str) -> tuple[str, str]:
        """Return the root of a path, and its real path. A path is absolute, or begins at a root or with its name."""
        if not text.strip() or "\0" in text or not _is_text(text):
            raise refused(say("that is no path of a file"), "odd")
        path = os.path.expanduser(text.strip())  # noqa: PTH111 - `~` as people write it
        try:
            places = [(root, place) for root in self.folders() for place in _places(root, path)]
        except OSError as error:  # a link that was removed meanwhile
            raise _why(error, path) from None
        inside = [(root, real) for root, real in places if _is_in(real, root)]
        # If several roots could contain it, take the root in which it exists.
        inside.sort(key=lambda place: not os.path.lexists(place[1]))
        for root, real in inside:
            self._refuse_closed(real, root)
            return root, real
        raise refused(
            say(
                "{path} does not lie in a folder that may be read ({folders}); to read it, add its folder to {setting}",
                path=text.strip()[:200],
                folders=", ".join(self._roots),
                setting=SETTING,
            ),
            "roots",
        )

    def may_read(self, real: str, root: str) -> bool:
        """Return whether an entry met on the way through a root may be read."""
        try:
            self._refuse_closed(real, root)
        except NotFetchedError:
            return False
        return _is_text(real)

    def _refuse_closed(self, real: str, root: str) -> None:
        if any(part.startswith(".") for part in Path(real).relative_to(root).parts):
            raise refused(say("files and folders whose names begin with a dot are not read"), "hidden")
        if any(_is_in(real, closed) for closed in self._closed) or (_is_in(real, _RUN) and not _is_in(root, _RUN)):
            raise refused(say("Butler's own files and those of the system are not read"), "own")

    @contextmanager
    def opened(self, root: str, real: str) -> Generator[tuple[int, os.stat_result]]:
        """Open a file or folder by the real path that `find` returned."""
        handle = -1
        try:
            handle = _open_beneath(root, Path(real).relative_to(root).parts)
            found = os.fstat(handle)
            if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
                raise unreadable(say("{path} is neither a file nor a folder", path=real), "special")
            yield handle, found
        except OSError as error:
            raise _why(error, real) from None
        finally:
            if handle >= 0:
                os.close(handle)


def open_in(folder: int, name: str) -> int:
    """Open a file of an open folder, never a link. Raise `OSError`."""
    return os.open(name, _FILE, dir_fd=folder)


def _open_beneath(root: str, parts: Sequence[str]) -> int:
    handle = os.open(root, _FOLDER)
    for number, part in enumerate(parts, 1):
        outer = handle
        try:
            handle = os.open(part, _FILE if number == len(parts) else _FOLDER, dir_fd=outer)
        finally:
            os.close(outer)
    return handle


def _places(root: str, path: str) -> Iterator[str]:
    """Yield the possible places of a relative path; in `papers/lease.pdf`, `papers` may be the root itself."""
    yield os.path.realpath(os.path.join(root, path))  # noqa: PTH118 - texts, which may not exist
    first, _, rest = path.partition("/")
    if first and first == os.path.basename(root):  # noqa: PTH119 - the same
        yield os.path.realpath(os.path.join(root, rest))  # noqa: PTH118 - the same


def _why(error: OSError, real: str) -> NotFetchedError:
    match error:
        case FileNotFoundError() | NotADirectoryError():
            return missing(say("there is no file {path}", path=real))
        case PermissionError():
            return locked(say("Butler's user may not read {path}; change who may", path=real))
        case _:
            return missing(
                say("{path} cannot be read ({why})", path=real, why=error.strerror or say("the system gives no reason"))
            )


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _is_text(path: str) -> bool:
    """Return whether a path's bytes are text; other paths can be neither shown nor stored."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
