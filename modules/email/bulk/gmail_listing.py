"""Lists the Gmail mails of an order: found by a query, part by part, or named by their ids.

All mails of a part had the same of the action's labels before the run, so that undoing can restore exactly those labels
without reading each mail.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from butler.contract.bulk import BulkItem, PreparedBulkContext
from butler.contract.bulk_adapter import answered, metadata_of
from butler.contract.errors import Reconfigure
from butler.contract.speech import phrase, say
from modules._accounts.google_client import MOST_AT_ONCE
from modules.email.bulk.gmail_calls import GmailAsking
from modules.email.bulk_actions import MARKS, MailAction
from modules.email.gmail.selection import labelled, searched_as
from modules.email.integration_gmail_records import GET_MANY, LIST, GotMany, Listed

PAGE = 500
INBOX = "INBOX"
HAD = "had"
"""Key for the action's labels that a mail had before, if these are not just the labels to remove."""
LABEL_GONE = phrase("The label {name} is no longer there. Make it anew, and tap Resume.")


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the mails: their search term, whether they have the named label, and the labels they had."""

    only: str = ""
    labelled: bool | None = None
    had: tuple[str, ...] | None = None


def parts_of(action: MailAction, own: Sequence[str]) -> list[dict[str, Any]]:
    """Return an action's parts as a context stores them; `own` is the id of the named label, if it exists."""
    match action:
        case MailAction.LABEL | MailAction.UNLABEL:
            parts = [Part(labelled=action is MailAction.UNLABEL)]
        case MailAction.MOVE:
            parts = [Part("in:inbox", labelled=False), Part("-in:inbox", labelled=False, had=())]
            parts += [Part("in:inbox", labelled=True, had=(INBOX, *own))] if own else []
        case _:
            parts = [Part(only, had=had) for only, had in MARKS[action].open]
    return [asdict(part) for part in parts]


class GmailListing:
    """Lists an order's mails in pages; the end of a page is kept in the context."""

    def __init__(self, asking: GmailAsking) -> None:
        self._asking = asking

    async def batch(self, context: PreparedBulkContext, size: int, offset: int) -> list[BulkItem]:
        """Return at most `size` items after `offset`; empty at the end."""
        place = metadata_of(context)
        if offset == 0 or place.get("at") != offset:
            place |= {"at": 0, "part": 0, "cursor": None, "more": True}
        # Gmail has no offsets: items before an offset that paging did not reach are read and skipped.
        while place["at"] < offset and place["more"]:
            await self._page(context, min(PAGE, offset - place["at"]))
        while place["more"]:
            if items := await self._page(context, size):
                return items
        return []

    async def _page(self, context: PreparedBulkContext, size: int) -> list[BulkItem]:
        """Return the next items and store the position after them; an empty page need not be the last."""
        place = metadata_of(context)
        found, following = await (self._listed if "q" in context.query_params else self._named)(context, size)
        part = place["part"] + (following is None)
        more = part < len(context.query_params.get("parts", [None]))
        place |= {"at": place["at"] + len(found), "part": part, "cursor": following, "more": more}
        return found

    async def _listed(self, context: PreparedBulkContext, size: int) -> tuple[list[BulkItem], str | None]:
        fields, place = context.query_params, metadata_of(context)
        part = Part(**fields["parts"][place["part"]])
        if place["cursor"] is None and not await self._standing(context, part):
            return [], None
        without = f"-{labelled(place['label'])}" if part.labelled is False and place["label"] else ""
        query = " ".join(filter(None, (part.only, without, fields["q"])))
        bears = [*fields["labels"], *(_own(context) if part.labelled else ())]
        ids, following = await self._ids(context, query, bears, size, place["cursor"])
        left_out = {*place["bearing"], *fields.get("keep_ids", ())}
        if following is None:
            place["bearing"] = []
        data = None if part.had is None else {HAD: list(part.had)}
        return [BulkItem(one, one, data) for one in ids if one not in left_out], following

    async def _ids(
        self, context: PreparedBulkContext, query: str, labels: Sequence[str], size: int, cursor: str | None
    ) -> tuple[list[str], str | None]:
        args = {"query": query, "labels": list(labels), "page_size": min(size, PAGE), "background": True}
        result = await self._asking.call(context, LIST, args, cursor)
        return [mail.id for mail in Listed.model_validate(answered(result)).mails], result.meta.next_cursor

    async def _standing(self, context: PreparedBulkContext, part: Part) -> bool:
        """Check the labels before listing a part; return False if a label of its mails no longer exists."""
        place = metadata_of(context)
        place |= {"label": "", "bearing": []}
        if part.labelled is None and not context.query_params["labels"]:
            return True
        own = {label.id: label.name for label in await self._asking.own_labels(context)}
        bears, ids, name = context.query_params["labels"], _own(context), context.action_params.get("label", "")
        if part.labelled is False:
            if not own.keys() >= set(ids):
                raise Reconfigure(say(LABEL_GONE, name=name))
            for one in ids:
                # The label may have been renamed, and Gmail excludes by name; if names cannot tell labels apart,
                # the mails with this one are listed first. No mail has a label that is yet to be created.
                alike = [label for label in own.values() if searched_as(label) == searched_as(own[one])]
                if len(alike) == 1:
                    place["label"] = own[one]
                else:
                    place["bearing"] = await self._bearing(context, part, one)
        return own.keys() >= {*bears, *(ids if part.labelled else ())}

    async def _bearing(self, context: PreparedBulkContext, part: Part, label: str) -> list[str]:
        """Return the mails of a part that already have a label."""
        query = " ".join(filter(None, (part.only, context.query_params["q"])))
        bears = [*context.query_params["labels"], label]
        found, cursor = await self._ids(context, query, bears, PAGE, None)
        while cursor is not None:
            ids, cursor = await self._ids(context, query, bears, PAGE, cursor)
            found += ids
        return found

    async def _named(self, context: PreparedBulkContext, size: int) -> tuple[list[BulkItem], str | None]:
        """Return those of the named mails that exist and that the action changes."""
        first, every = int(metadata_of(context)["cursor"] or 0), context.query_params["ids"]
        ids = every[first : first + min(size, MOST_AT_ONCE)]
        result = await self._asking.call(context, GET_MANY, {"ids": ids}) if ids else None
        mails = GotMany.model_validate(answered(result)).mails if result is not None else []
        add, remove = set(context.action_params["add"]), set(context.action_params["remove"])
        # No mail has a label that is yet to be created.
        new = "label" in context.action_params and not _own(context)
        found: list[BulkItem] = []
        for mail in mails:
            had = (add | remove) & set(mail.labels)
            if new or had != add:
                found.append(BulkItem(mail.id, mail.id, None if had == remove else {HAD: sorted(had)}))
        after = first + len(ids)
        return found, str(after) if after < len(every) else None


def _own(context: PreparedBulkContext) -> list[str]:
    """Return the id of the named label, if it exists."""
    params = context.action_params
    return [one for one in (*params["add"], *params["remove"]) if one != INBOX] if "label" in params else []
