"""Write everything that Butler knows into a folder: implements `butler export`."""

import json
from datetime import UTC, datetime
from pathlib import Path

from butler.agents.memory.texts import texts
from butler.cli.database import reading
from butler.cli.output import counted
from butler.contract.errors import Refuse
from butler.maintenance.export import export, finish, opened
from butler.store.blobs import FileBlobs
from config.load import load


async def exported(path: Path, folder: Path) -> str:
    """Write everything into a folder; return what it holds. The daemon may be running."""
    loaded = load(path)
    blobs, made_at = FileBlobs(loaded.data_dir / "blobs"), datetime.now(UTC)
    try:
        with blobs.kept(), reading(path) as connection:
            done = export(connection, blobs, folder)
        with opened(folder / "data" / "memory_texts.jsonl") as file:
            async for row in texts(loaded.data_dir / "memory"):
                data = {"source_id": row["source_id"], "number": row["number"], "chunk": json.loads(row["chunk"])}
                file.write(json.dumps(data, ensure_ascii=False).encode(errors="backslashreplace") + b"\n")
        finish(folder, done, made_at)
    except OSError as error:
        raise Refuse(f"the export cannot be written into {folder} ({error.strerror})") from None
    rows = counted(sum(done.rows.values()), "row", "rows")
    files = counted(done.files, "file", "files")
    damaged = f" {counted(len(done.damaged), 'file is', 'files are')} damaged, and not in it." if done.damaged else ""
    return f"Exported {rows} and {files} to {folder}; open {folder / 'index.html'} to look at it.{damaged}"
