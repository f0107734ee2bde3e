"""Deletes everything that is Butler's from this machine, and nothing else: only names that Butler itself creates."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy import exc

from butler.audit_head import NAME as HEADS
from butler.audit_progress import NAME as CHECKED
from butler.store.connect import in_memory, make_engine, resolve_url, writer_of
from butler.store.faults import in_our_words
from butler.store.lock import DataLock
from butler.store.revisions import version
from butler.store.tables import metadata

FOLDERS: Final = ("blobs", "memory", "workspace", "vault")
"""Folders that Butler creates in the data folder, besides the database."""
BACKUPS: Final = "backups"
SIDES: Final = ("", "-wal", "-shm", "-journal")
REMAINS: Final = (
    "What your providers hold stays there: your chats with the butler in Telegram, mails, calendars, files, boards.",
    "Their grants stay, too: end the butler's session in Telegram under Settings > Devices; revoke the bot's token:",
    "@BotFather does it; myaccount.google.com/connections ends Google's grant, trello.com/my/account Trello's.",
    "What the log said stands in the journal of your system; `journalctl --vacuum-time` clears it.",
    "butler.toml and the secrets file are yours: delete them yourself.",
)
"""The message after a wipe. It names providers itself, because a grant outlives the module that it was given for."""


@dataclass(slots=True)
class Wiped:
    """The things that were deleted, and those that were left because they are not Butler's."""

    gone: list[str] = field(default_factory=list[str])
    foreign: list[str] = field(default_factory=list[str])


def wipe(url: str, data_dir: Path, key_file: Path, *, backups: bool) -> Wiped:
    """Delete the database, files, memory, sealed credentials and their key; with `backups`, also backups in `data_dir`.

    Credentials go first, so that an interruption leaves nothing that opens an account; another run continues. Raises
    `AlreadyRunningError` while a daemon runs, and `StoreUnavailableError` if a server is unreachable.
    """
    done, resolved = Wiped(), resolve_url(url, data_dir)
    if data_dir.is_dir():
        with DataLock(url, data_dir):
            _take(key_file, done)
            _take(data_dir / "vault", done)
            _database(resolved, done)
            for name in (*FOLDERS, HEADS, CHECKED, *((BACKUPS,) if backups else ())):
                _take(data_dir / name, done)
        _take(data_dir / "butler.lock", done)
        done.foreign = sorted(one.name for one in data_dir.iterdir() if backups or one.name != BACKUPS)
        if not any(data_dir.iterdir()):
            data_dir.rmdir()
    else:
        _take(key_file, done)
    return done


def _database(url: sa.URL, done: Wiped) -> None:
    if in_memory(url):
        return
    if url.get_backend_name() == "sqlite":
        path = Path(str(url.database))
        for one in (path, *path.parent.glob(f"{path.name}.before_restore_*")):
            for suffix in SIDES:
                _take(one.with_name(one.name + suffix), done)
        return
    engine = make_engine(url)
    try:
        with writer_of(engine).begin() as connection:
            # The schema may have other users: only our tables are dropped.
            metadata.drop_all(connection)
            version.drop(connection, checkfirst=True)
            ours = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'before\\_restore\\_%'"
            for (name,) in connection.execute(sa.text(ours)).all():
                connection.exec_driver_sql(f'DROP SCHEMA "{name}" CASCADE')
    except exc.DBAPIError as error:
        raise in_our_words(error) from None
    finally:
        engine.dispose()
    done.gone.append("the tables in PostgreSQL")


def _take(path: Path, done: Wiped) -> None:
    """Delete a file, or a folder with its contents; a link is deleted, its target stays."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)
    else:
        return
    done.gone.append(str(path))
