"""`butler backup`, `restore` and `db upgrade`."""

from pathlib import Path

from butler.store.backup import backup, restore
from butler.store.lock import DataLock
from butler.store.open import open_store
from butler.store.tables import REVISION
from config.load import load


def make_backup(path: Path, target: Path) -> str:
    """Write a backup; where it is."""
    loaded = load(path)
    return f"Backed up to {backup(loaded.settings.store.url, loaded.data_dir, target)}"


def bring_back(path: Path, archive: Path, *, force: bool) -> str:
    """Restore a backup; what it held."""
    loaded = load(path)
    manifest = restore(archive, loaded.settings.store.url, loaded.data_dir, force=force)
    return f"Restored {sum(t.rows for t in manifest.tables.values())} rows of {manifest.made_at}."


def upgrade(path: Path) -> str:
    """Bring the database to this program's revision; one sentence."""
    loaded = load(path)
    loaded.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    with DataLock(loaded.settings.store.url, loaded.data_dir):
        store = open_store(loaded.settings.store.url, data_dir=loaded.data_dir)
        store.engine.dispose()
    return f"The database is at revision {REVISION}."
