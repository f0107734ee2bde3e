"""Makes a backup every night, if the settings name a folder: writes it, verifies it, and keeps a limited number."""

import asyncio
import time
from pathlib import Path
from typing import Final

import structlog

from butler.contract.errors import ButlerError
from butler.contract.speech import say
from butler.services import Tell
from butler.store import archive
from butler.store.backup import backup
from butler.store.progress import Progress
from config.keeping import BackupSettings

log = structlog.get_logger(__name__)

FAILED: Final = "backup_failed"
EVERY_S: Final = 30.0
"""Seconds between two log lines about a backup's progress."""
OF_TONIGHT_S: Final = 12 * 3600.0
"""Seconds: a younger backup is this night's, so that a restart makes no other."""


class _Logged:
    """Logs the progress of a long backup."""

    def __init__(self) -> None:
        self._told_at = time.monotonic()

    def __call__(self, now: Progress) -> None:
        if time.monotonic() - self._told_at >= EVERY_S:
            self._told_at = time.monotonic()
            log.info("backing_up", stage=now.stage.value, done=now.done, total=now.total)


class Backups:
    """Makes the backup of a night."""

    def __init__(self, settings: BackupSettings, folder: Path, url: str, data_dir: Path, tell: Tell) -> None:
        self._settings, self._folder = settings, folder
        self._url, self._data_dir, self._tell = url, data_dir, tell

    async def make(self) -> None:
        """Write a backup and delete the oldest; errors are reported, and stop nothing else."""
        if not self._settings.folder:
            return
        try:
            path = await asyncio.to_thread(self._made)
        except (ButlerError, OSError) as error:
            why = str(error) if isinstance(error, ButlerError) else str(error.strerror)
            log.warning("backup_failed", folder=str(self._folder), why=why)
            text = say("I could not make tonight's backup in {folder}: {why}", folder=str(self._folder), why=why)
            await self._tell(FAILED, text)
        else:
            log.info("backed_up", path=str(path))

    def _made(self) -> Path:
        there = self._there()
        # A backup from the future was made before the clock was set back, and does not count for tonight.
        if there and 0 <= time.time() - there[-1].stat().st_mtime < OF_TONIGHT_S:
            return there[-1]
        if not self._folder.is_dir():
            # An unmounted disk must not pass for a backup.
            raise FileNotFoundError(2, "there is no such folder")
        path = backup(self._url, self._data_dir, self._folder, _Logged())
        try:
            archive.verify(path)
        except ButlerError:
            path.unlink()
            raise
        for old in self._there()[: -self._settings.keep]:
            old.unlink()
        return path

    def _there(self) -> list[Path]:
        return sorted(self._folder.glob("butler-*.tar.gz"))
