"""Draws what a card shows of a snapshot: count, ends of the list, senders, what stays and what cannot be undone.

If the sample names every item, it already shows the ends and the senders.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from zoneinfo import ZoneInfo

from butler.bulk.listing import Listed, short_line
from butler.contract.bulk import BulkDetail, BulkToolAdapter, PreparedBulkContext
from butler.contract.speech import say, say_date, say_many, say_number
from butler.store.queries import bulk
from butler.store.store import Store

SENDERS = 5


async def facts(
    store: Store, adapter: BulkToolAdapter, context: PreparedBulkContext, run_id: str, listed: Listed, zone: ZoneInfo
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Return label and value pairs, and the lines of a sample."""
    ends = {item.id: item for item in (*listed.first, *listed.last)}
    details = await adapter.sample(tuple(ends.values()), context)
    dated = sorted((one for one in details if one.at is not None), key=lambda one: one.at or 0, reverse=True)
    items = [(say("How many"), say_number(listed.total))]
    some = listed.total > len(details)
    if some and dated:
        items += [(say("Newest"), _line(dated[0], zone)), (say("Oldest"), _line(dated[-1], zone))]
    if some and (senders := await _senders(store, adapter, context, run_id, listed.total)):
        items.append((say("Whose"), senders))
    words = adapter.words(context)
    items += [(say("Meant"), words.meant)] if words.meant else []
    items += [(say("Worth knowing"), words.beside)] if words.beside else []
    items += [(say("Stays"), words.stays)] if words.stays else []
    items += [(say("Cannot be undone"), words.for_good)] if words.for_good else []
    return tuple(items), tuple(_line(one, zone) for one in details)


async def _senders(
    store: Store, adapter: BulkToolAdapter, context: PreparedBulkContext, run_id: str, total: int
) -> str:
    counted: Counter[str] = Counter()
    after = -1
    while page := await store.read(partial(bulk.page_of, run_id=run_id, after=after)):
        counted.update(dict(await adapter.by_sender([item.item_id for item in page], context)))
        after = page[-1].seq
    found = counted.most_common()
    if not found:
        return ""
    named = [f"{short_line(name)} {say_number(count)}" for name, count in found[:SENDERS]]
    others = sum(count for _, count in found[SENDERS:])
    named += [say_many(others, "1 of others", "{count} of others")] if others else []
    unknown = total - sum(count for _, count in found)
    named += [say_many(unknown, "1 that I have not seen yet", "{count} that I have not seen yet")] if unknown else []
    return ", ".join(named)


def _line(one: BulkDetail, zone: ZoneInfo) -> str:
    parts: Sequence[str] = (
        short_line(one.who),
        short_line(one.name),
        say_date(one.at.astimezone(zone).date()) if one.at is not None else "",
    )
    return " · ".join(part for part in parts if part)
