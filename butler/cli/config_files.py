"""Writes the configuration and the secrets file atomically, the secrets readable by their owner only."""

import os
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

from butler.contract.errors import ConfigError, Refuse
from config.load import read_secrets

CONFIG_MODE = 0o644
SECRETS_MODE = 0o600
HEAD = "# Secrets of Butler, NAME=value. Only you may read this file; whoever reads it can act as you.\n"


def write_whole(path: Path, text: str, *, mode: int) -> None:
    """Replace a file's content atomically; raise `ConfigError` if it cannot be written.

    A reader sees the old or the new content, even after a power cut. A symbolic link stays one.
    """
    target = path.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")  # mode 0600 from the first byte
        fresh = Path(name)
        try:
            with os.fdopen(number, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            fresh.chmod(mode)
            fresh.replace(target)
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written ({error.strerror})") from error


def keep_secrets(path: Path, fresh: Mapping[str, str]) -> None:
    """Add secrets to the file, keeping the rest of it.

    Raises `ConfigError` if the file cannot be used, `Refuse` if a value does not fit on a line.
    """
    for name, value in fresh.items():
        if any(not char.isprintable() for char in value) or value != value.strip().strip("'\""):
            raise Refuse(f"{name} cannot be stored: it has a line break, or a space or quotation mark at an end")
    read_secrets(path)  # refuses a file that others can read
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else [HEAD]
    kept = [line for line in lines if line.partition("=")[0].strip() not in fresh]
    if kept and not kept[-1].endswith("\n"):
        kept[-1] += "\n"
    write_whole(path, "".join([*kept, *(f"{name}={value}\n" for name, value in fresh.items())]), mode=SECRETS_MODE)


def drop_secrets(path: Path, names: Collection[str]) -> None:
    """Remove secrets from the file, keeping the rest of it. Raise `ConfigError`."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if line.partition("=")[0].strip() not in names]
    write_whole(path, "".join(kept), mode=SECRETS_MODE)
