"""Finds names for failed items that are known only by their ids, by asking the adapter."""

from collections.abc import Sequence
from functools import partial

import structlog

from butler.bulk.contexts import context_of, item_of
from butler.bulk.listing import short_line
from butler.bulk.registry import BulkAdapters
from butler.contract.bulk import BulkDetail
from butler.contract.errors import ButlerError
from butler.store.queries import bulk
from butler.store.queries.bulk import RunRow
from butler.store.store import Store

log = structlog.get_logger(__name__)

AT_ONCE = 25
"""Most items in one question to an adapter."""


async def name_failed(store: Store, adapters: BulkAdapters, run: RunRow, most: int) -> None:
    """Name the first failed items, `most` at most. An item whose name cannot be found stays as it is."""
    adapter = adapters.find(run.adapter)
    if adapter is None:
        return
    rows = await store.read(lambda c: bulk.nameless(c, run.run_id, most))
    for at in range(0, len(rows), AT_ONCE):
        items = [item_of(row) for row in rows[at : at + AT_ONCE]]
        try:
            details = await adapter.sample(items, context_of(run))
        except ButlerError as error:
            log.info("failures_stay_unnamed", run=run.run_id, why=error.detail)
            return
        await store.write(partial(bulk.name, run_id=run.run_id, names=_names(details)), "bulk.names")


def _names(details: Sequence[BulkDetail]) -> dict[str, str]:
    """Return a line for each item, by its id."""
    lines = {one.item_id: short_line(" · ".join(filter(None, (one.who, one.name)))) for one in details if one.item_id}
    return {item_id: line for item_id, line in lines.items() if line}
