"""What an adapter made of an order, as it lies in a row."""

import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import asdict
from typing import Any

from butler.contract.bulk import BulkItem, BulkOrder, PreparedBulkContext
from butler.store.queries.bulk import ItemRow, RunRow


def params_of(order: BulkOrder) -> str:
    """Canonical JSON of what was asked for: what was shown is compared by it with what is begun."""
    return json.dumps(order.params, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def stored(context: PreparedBulkContext) -> dict[str, Any]:
    """The context as JSON."""
    return asdict(context)


def context_of(run: RunRow) -> PreparedBulkContext:
    """A run's context, as its adapter made it."""
    return revived(run.context)


def revived(context: Mapping[str, Any]) -> PreparedBulkContext:
    """A context out of JSON, whose parts are its own: what an adapter learns on the way does not change the row."""
    return PreparedBulkContext(**deepcopy(dict(context)))


def item_of(row: ItemRow) -> BulkItem:
    """A row's thing, as its adapter made it."""
    return BulkItem(row.item_id, row.name, dict(row.data) if row.data is not None else None)
