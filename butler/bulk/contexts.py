"""Converts an adapter's contexts and items to and from the JSON in rows."""

import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import asdict
from typing import Any

from butler.contract.bulk import BulkItem, BulkOrder, PreparedBulkContext
from butler.store.queries.bulk import ItemRow, RunRow


def params_of(order: BulkOrder) -> str:
    """Return canonical JSON of an order's parameters, by which what was shown is compared with what is begun."""
    return json.dumps(order.params, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def stored(context: PreparedBulkContext) -> dict[str, Any]:
    """Return the context as JSON."""
    return asdict(context)


def context_of(run: RunRow) -> PreparedBulkContext:
    """Return a run's context, as its adapter made it."""
    return revived(run.context)


def revived(context: Mapping[str, Any]) -> PreparedBulkContext:
    """Build a context from a deep copy of JSON, so that what an adapter learns later does not change the row."""
    return PreparedBulkContext(**deepcopy(dict(context)))


def item_of(row: ItemRow) -> BulkItem:
    """Return a row's item, as its adapter made it."""
    return BulkItem(row.item_id, row.name, dict(row.data) if row.data is not None else None)
