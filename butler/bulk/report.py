"""The list of a run's items as a file: what each was, and its outcome."""

import csv
import io
import re
from collections.abc import Callable
from functools import partial
from typing import TypeAlias
from zoneinfo import ZoneInfo

from approvals.reason_words import details_in_words
from butler.bulk.failed_items import name_failed
from butler.bulk.progress_message import words_of
from butler.bulk.registry import BulkAdapters
from butler.contract.card import OwnerMessage, plain
from butler.contract.ports import BlobStore, Clock
from butler.contract.speech import phrase, say
from butler.contract.tools import Attachment
from butler.store.queries import bulk, outbox
from butler.store.queries.bulk import ItemState, RunRow
from butler.store.store import Store

STATES = {
    ItemState.TODO: phrase("left as it is"),
    ItemState.INFLIGHT: phrase("not known"),
    ItemState.DONE: phrase("done"),
    ItemState.FAILED: phrase("could not be"),
}
NAMED = 100
"""The most failed items, known only by their ids, for which to request names."""
LONGEST_NAME = 60
_WORDS = re.compile(r"\w+")
Wake: TypeAlias = Callable[[], None]
FORMULAS = frozenset("=+-@\t\r")
"""First characters by which a spreadsheet program takes a cell for a formula."""


class RunReports:
    """The work handler of `bulk_file`."""

    def __init__(
        self, store: Store, clock: Clock, adapters: BulkAdapters, blobs: BlobStore, *, zone: ZoneInfo, wake: Wake
    ) -> None:
        self._store, self._clock, self._adapters, self._blobs = store, clock, adapters, blobs
        self._zone, self._wake = zone, wake

    async def send(self, run_id: str) -> None:
        """Send the list to the run's chat; once for each state of it."""
        run = await self._store.read(lambda c: bulk.get(c, run_id))
        if run is None or not run.chat:
            return
        await name_failed(self._store, self._adapters, run, NAMED)
        data = await self._table(run_id)
        digest, name = await self._blobs.put(data), self._file_name(run)
        file = Attachment(name=name, size=len(data), sha256=digest, media_type="text/csv")
        message, now = OwnerMessage(text=plain(say("The list as a file.")), attachments=(file,)), self._clock.now()
        key = f"bulk-file:{run_id}:{digest}"
        await self._store.write(lambda c: outbox.add(c, run.chat, message, now=now, dedup_key=key), "bulk.file")
        self._wake()

    def _file_name(self, run: RunRow) -> str:
        """Return a file name of the act and its day, such as `archived-2027-03-01.csv`."""
        did = "-".join(_WORDS.findall(words_of(self._adapters, run).did.casefold()))
        return f"{did[:LONGEST_NAME].strip('-')}-{(run.begun_at or run.created_at).astimezone(self._zone):%Y-%m-%d}.csv"

    async def _table(self, run_id: str) -> bytes:
        text = io.StringIO()
        table = csv.writer(text)
        table.writerow([say("Id"), say("Name"), say("Outcome"), say("Why")])
        after = -1
        while page := await self._store.read(partial(bulk.page_of, run_id=run_id, after=after)):
            after = page[-1].seq
            table.writerows(
                [one.item_id, _cell(one.name), say(STATES[one.state]), _cell(details_in_words(one.detail))]
                for one in page
            )
        return text.getvalue().encode("utf-8-sig")


def _cell(text: str) -> str:
    """Return a text that no spreadsheet program runs as a formula; a mail's subject is chosen by others."""
    return f"'{text}" if text[:1] in FORMULAS else text
