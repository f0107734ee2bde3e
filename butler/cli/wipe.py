"""Delete everything that Butler keeps: implements `butler wipe`."""

from pathlib import Path

from butler.contract.errors import Refuse
from butler.maintenance.wipe import BACKUPS, REMAINS, wipe
from config.load import load


def wiped(path: Path, name: str, *, backups: bool) -> str:
    """Delete everything from this machine once the butler's name was typed; return what was deleted and what stays."""
    loaded = load(path)
    if name.strip() != loaded.settings.butler.name:
        raise Refuse(f"nothing was wiped: type the butler's name, {loaded.settings.butler.name}, to have it done")
    try:
        done = wipe(loaded.settings.store.url, loaded.data_dir, loaded.key_file, backups=backups)
    except OSError as error:
        raise Refuse(f"{error.filename} cannot be taken away ({error.strerror}); wipe again after that") from None
    lines = [f"Wiped: {', '.join(done.gone) or 'there was nothing'}."]
    if not backups and (loaded.data_dir / BACKUPS).is_dir():
        lines.append(f"Backups are left in {loaded.data_dir / BACKUPS}; --backups takes them away, too.")
    if done.foreign:
        lines.append(f"Left in {loaded.data_dir}, because it is not Butler's: {', '.join(done.foreign)}.")
    return "\n".join([*lines, *REMAINS])
