"""Reads the texts in memory while a daemon may be writing; creates, repairs and deletes nothing."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any


async def texts(folder: Path) -> AsyncGenerator[dict[str, Any]]:
    """Yield every chunk as it is stored: `source_id`, `number` and `chunk`, a `ParsedChunk` as JSON."""
    if not folder.is_dir():  # noqa: ASYNC240 - one look, before anything is asked
        return
    import lancedb  # noqa: PLC0415 - loaded only where it is used

    database = await lancedb.connect_async(folder, session=lancedb.Session())  # pyright: ignore[reportUnknownMemberType]
    try:
        for name in (await database.list_tables()).tables:
            table = await database.open_table(name)
            batches: Any = await table.query().select(["source_id", "number", "chunk"]).to_batches()
            async for batch in batches:
                for row in batch.to_pylist():
                    yield row
    finally:
        database.close()
