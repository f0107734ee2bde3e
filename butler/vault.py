"""Credentials of accounts: from the environment or the secrets file, else what `butler login` sealed on disk.

Sealed values are in the data folder, one file each, and their key is outside of it: a copy of the data folder alone
opens nothing. Neither is ever part of a backup.
"""

import os
import re
import stat
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from butler.contract.errors import SealedError
from config.load import Loaded, why_unreadable

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

FOLDER = "vault"
KEY_VARIABLE = "BUTLER_KEY"
ENDING = ".sealed"
OTHERS = stat.S_IRWXG | stat.S_IRWXO
HEAD = "# The key of the credentials that Butler keeps sealed. Only you may read this file; keep it out of backups.\n"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_SHAPE = re.compile(rb"gAAAA[A-Za-z0-9_-]{95,}={0,2}\s*")
"""A Fernet token: version 0x80, a time, an initial vector, a block and a signature in URL-safe base64."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of the sealed values, newest first: from the environment, else a line each in a file."""

    file: Path
    data_dir: Path
    given: str = ""
    """The value of BUTLER_KEY; several keys are separated by commas or spaces."""

    def cipher(self) -> "MultiFernet | None":
        """Return a cipher that seals with the newest key and opens with any; None without keys. Raise `SealedError`."""
        lines = self._lines()
        return _cipher(lines, self.where) if lines else None

    @property
    def where(self) -> str:
        """Return where the keys come from, for people."""
        return f"the environment variable {KEY_VARIABLE}" if self.given.strip() else str(self.file)

    @property
    def changeable(self) -> bool:
        """Whether they are in a file, which Butler may rewrite."""
        return not self.given.strip()

    def add(self) -> None:
        """Add a fresh key before the existing ones, for sealing from now on. Raise `SealedError`."""
        from cryptography.fernet import Fernet  # noqa: PLC0415 - only where something is sealed

        if self.file.resolve().is_relative_to(self.data_dir.resolve()):
            raise SealedError(
                f"the key may not lie inside of the data folder ({self.file}): whoever has what is sealed would have "
                "its key, too. Set key_file in [butler] to a place outside of it"
            )
        self._write([Fernet.generate_key().decode(), *self._lines()])

    def keep_newest(self) -> None:
        """Forget all keys but the newest. Raise `SealedError`."""
        self._write(self._lines()[:1])

    def _write(self, lines: Sequence[str]) -> None:
        try:
            _write_whole(self.file, HEAD + "".join(f"{line}\n" for line in lines))
        except OSError as error:
            raise SealedError(f"the key file {self.file} cannot be written ({error.strerror})") from None

    def _lines(self) -> list[str]:
        if self.given.strip():
            return re.split(r"[\s,]+", self.given.strip())
        text = _read_private(self.file)
        lines = (line.strip() for line in (text or b"").decode("utf-8", "replace").splitlines())
        return [line for line in lines if line and not line.startswith("#")]


class Vault:
    """Implements `butler.contract.ports.Vault`. Reads everything at use, so that a fresh sign-in counts immediately.

    `seen` receives every value that is read or sealed, for removal from the log.
    """

    def __init__(
        self, secrets: Mapping[str, str], folder: Path, keys: Keys, seen: Callable[[str], None] = lambda _: None
    ) -> None:
        self.folder, self.keys = folder, keys
        self._secrets, self._seen = secrets, seen

    def get(self, name: str) -> str:
        value = self.set_outside(name) or self.sealed(name)
        if value:
            self._seen(value)
        return value

    def set_outside(self, name: str) -> str:
        """Return the value from the environment or the secrets file, which overrides a sealed one."""
        return self._secrets.get(name, "").strip()

    def put(self, name: str, value: str) -> None:
        path = self._path(name)
        sealed = self._sealing().encrypt(f"{name}\n{value}".encode()) if value else b""
        self._seen(value)
        try:
            if not value:
                path.unlink(missing_ok=True)
                return
            for folder in (self.folder.parent, self.folder):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            _write_whole(path, sealed.decode())
        except OSError as error:
            raise SealedError(f"{name} cannot be sealed in {path} ({error.strerror})") from None

    def names(self) -> list[str]:
        """Return the names of the sealed values."""
        with suppress(OSError):
            return sorted(path.name.removesuffix(ENDING) for path in self.folder.glob(f"*{ENDING}"))
        return []

    def rekey(self) -> list[str]:
        """Seal everything with a fresh key and forget the old ones; return what was sealed. Raise `SealedError`.

        A crash in between leaves all needed keys in the file. Keys in the environment are for their owner to change: if
        the new one precedes the old ones there, everything is sealed with it.
        """
        names = self.names()
        for name in names:
            self.sealed(name)  # before anything is changed
        if self.keys.changeable:
            self.keys.add()
        for name in names:
            self.put(name, self.sealed(name))
        if self.keys.changeable:
            self.keys.keep_newest()
        return names

    def _sealing(self) -> "MultiFernet":
        """Return the cipher for sealing; the first key is made on demand."""
        cipher = self.keys.cipher()
        if cipher is None:
            if names := self.names():
                raise SealedError(
                    f"the key of what is sealed in {self.folder} is missing: bring {self.keys.file} back, or delete "
                    f"that folder and sign in again to what it held ({', '.join(names)})"
                )
            self.keys.add()
            cipher = self.keys.cipher()
        assert cipher is not None
        return cipher

    def sealed(self, name: str) -> str:
        """Return the value sealed under this name, ignoring outside settings; empty if none. Raise `SealedError`."""
        path = self._path(name)
        sealed = _read_private(path)
        if sealed is None:
            return ""
        if not _SHAPE.fullmatch(sealed):
            raise SealedError(f"{path} is damaged, so that {name} cannot be opened: run `butler login` again")
        cipher = self.keys.cipher()
        if cipher is None:
            raise SealedError(
                f"{name} is sealed and its key is missing: bring {self.keys.file} back, or delete {self.folder} and "
                "run `butler login` again"
            )
        from cryptography.fernet import InvalidToken  # noqa: PLC0415 - only where something is sealed

        try:
            held, _, value = cipher.decrypt(sealed.strip()).decode().partition("\n")
        except InvalidToken:
            raise SealedError(
                f"{name} cannot be opened: the key in {self.keys.where} is not the one that it was sealed with, or "
                f"{path} was changed; bring the right key back, or run `butler login` again"
            ) from None
        if held != name:
            raise SealedError(f"{path} holds what was sealed as {held}: run `butler login` again")
        return value

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise SealedError(f"{name!r} is no name of a variable: write it in letters, digits and _")
        return self.folder / f"{name}{ENDING}"


def open_vault(loaded: Loaded, seen: Callable[[str], None] = lambda _: None) -> Vault:
    """Return the vault of a configuration, without reading or writing anything."""
    keys = Keys(loaded.key_file, loaded.data_dir, loaded.secrets.get(KEY_VARIABLE, ""))
    return Vault(loaded.secrets, loaded.data_dir / FOLDER, keys, seen)


def _cipher(lines: Sequence[str], where: str) -> "MultiFernet":
    from cryptography.fernet import Fernet, MultiFernet  # noqa: PLC0415 - only where something is sealed

    try:
        return MultiFernet([Fernet(line) for line in lines])
    except ValueError:
        raise SealedError(f"{where} holds something that is no key; bring the right one back") from None


def _read_private(path: Path) -> bytes | None:
    """Return a file's content, None if there is no such file; raise `SealedError` if others may read it."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SealedError(f"{path} cannot be read: {why_unreadable(error)}") from None
    if mode & OTHERS:
        raise SealedError(f"{path} can be read by others; run `chmod 600 {path}`")
    return content


def _write_whole(path: Path, text: str) -> None:
    """Replace a file atomically and durably, readable by its owner only; raise `OSError`."""
    target = path.resolve()
    number, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")  # 0600 from the first byte
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
