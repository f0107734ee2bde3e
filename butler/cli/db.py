"""Migrate the database: implements `butler db upgrade`."""

from pathlib import Path

from butler.audit_head import refuse_lost
from butler.store.lock import DataLock
from butler.store.open import open_store
from butler.store.tables import REVISION
from config.load import load


def upgrade(path: Path) -> str:
    """Upgrade the database to this program's revision; return one sentence."""
    loaded = load(path)
    loaded.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    with DataLock(loaded.settings.store.url, loaded.data_dir):
        refuse_lost(loaded.settings.store.url, loaded.data_dir)
        store = open_store(loaded.settings.store.url, data_dir=loaded.data_dir)
        store.engine.dispose()
    return f"The database is at revision {REVISION}."
