"""Write and restore backups: implements `butler backup` and `butler restore`."""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from butler.audit_head import NAME, note_restored
from butler.cli.database import reading
from butler.cli.output import counted
from butler.cli.progress import shown
from butler.contract.errors import ButlerError, Refuse
from butler.owner import PAIRED
from butler.store.backup import backup, restore
from butler.store.queries import cursors
from butler.vault import ENDING, FOLDER
from config.load import Loaded, load, why_unreadable


def make_backup(path: Path, target: Path) -> str:
    """Write a backup; return its path. Create a folder if only its last part is missing, and report that.

    Raises `Refuse` if the place does not exist: an unmounted disk must not pass for a backup.
    """
    loaded = load(path)
    if target.exists() and not target.is_dir():
        raise Refuse(f"{target} is a file; name a folder for the backup")
    if not target.exists() and not target.absolute().parent.is_dir():
        raise Refuse(f"there is no folder {target.absolute().parent} to make {target.name} in; make it, or mount it")
    fresh = not target.exists()
    try:
        target.mkdir(mode=0o700, exist_ok=True)
        with shown() as tell:
            written = backup(loaded.settings.store.url, loaded.data_dir, target, tell)
    except OSError as error:
        raise Refuse(f"the backup cannot be written into {target} ({error.strerror})") from None
    finally:
        if fresh and target.is_dir() and not any(target.iterdir()):
            target.rmdir()
    return f"Made the folder {target}, and backed up to {written}" if fresh else f"Backed up to {written}"


def restore_backup(path: Path, archive: Path, *, force: bool) -> str:
    """Restore a backup; return what it held."""
    loaded = load(path)
    try:
        archive.open("rb").close()
    except OSError as error:
        raise Refuse(f"{archive} cannot be read: {why_unreadable(error)}") from None
    with shown() as tell:
        manifest = restore(archive, loaded.settings.store.url, loaded.data_dir, force=force, tell=tell)
    try:
        note_restored(loaded.data_dir, manifest.made_at, datetime.now(UTC))
    except OSError as error:
        why = f"{NAME} cannot be written ({error.strerror})"
        raise Refuse(f"the backup is in place, but {why}, so `butler audit verify` will miss entries") from None
    rows = counted(sum(table.rows for table in manifest.tables.values()), "row", "rows")
    return f"Restored {rows} of {manifest.made_at}.{_paired(path)}{_sign_ins(loaded)}"


def _sign_ins(loaded: Loaded) -> str:
    """Report missing sign-ins: backups hold no credentials, so a new machine has none."""
    if any((loaded.data_dir / FOLDER).glob(f"*{ENDING}")):
        return ""
    return " No credentials are in a backup: `butler doctor` tells which accounts have to be signed in anew."


def _paired(path: Path) -> str:
    """Return the owner according to the restored rows, whose account may have been given up since."""
    with suppress(ButlerError), reading(path) as connection:
        if (user_id := cursors.fact(connection, PAIRED)) is not None:
            return f" It is paired with Telegram user {user_id}; if that is no longer you, run `butler pair --again`."
    return ""
