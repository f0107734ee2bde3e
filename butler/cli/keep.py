"""Count what retention would delete: implements `butler keep --dry-run`."""

from datetime import UTC, datetime
from pathlib import Path

from butler.cli.database import reading
from butler.cli.output import counted, json_text
from butler.maintenance.retention import would_go
from butler.store.blobs import FileBlobs
from config.load import load


def what_would_go(path: Path, *, as_json: bool) -> str:
    """Return what the next night's run would delete, by the current settings and rows."""
    loaded, now = load(path), datetime.now(UTC)
    settings = loaded.settings.retention
    with reading(path) as connection:
        gone = would_go(connection, FileBlobs(loaded.data_dir / "blobs"), settings, now)
    if as_json:
        return json_text({"rows": gone.rows, "files": gone.files, "bytes": gone.size})
    lines = [f"{name}: {counted(rows, 'row', 'rows')}" for name, rows in gone.rows.items()]
    lines.append(f"files that nothing names: {gone.files}, {gone.size:,} bytes")
    return "\n".join(["Would go in the next night, by [retention]:", *lines])
