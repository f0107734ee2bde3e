"""Bulk operations on the owner's Gmail: ids are listed by 500 and changed by 1,000.

A query finds only mails that the action still changes. So exactly the changed mails can be undone, and mails listed
after the end were not changed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.bulk import (
    BatchLaterError,
    BatchUnclearError,
    BulkDetail,
    BulkItem,
    BulkLimits,
    BulkResult,
    BulkToolAdapter,
    BulkWords,
    PreparedBulkContext,
)
from butler.contract.bulk_adapter import REFUSED, answered, batch_fault, counted, metadata_of, ordered
from butler.contract.errors import Reconfigure
from butler.contract.mirror import Mirror
from butler.contract.speech import phrase, say
from modules.email.bulk.gmail_calls import GmailAsking, label_called
from modules.email.bulk.gmail_changes import CAME, WENT, GmailMeanwhile
from modules.email.bulk.gmail_listing import HAD, INBOX, LABEL_GONE, PAGE, GmailListing, parts_of
from modules.email.bulk_actions import MARKS, NAMING, MailAction, words_of, words_of_putting_back
from modules.email.bulk_args import LabelSelection, MailSelection, MoveSelection, selection_of
from modules.email.gmail.selection import labelled, selection_query
from modules.email.integration_gmail import GmailIntegration
from modules.email.integration_gmail_records import BATCH_MODIFY, CREATE_LABEL, GET_MANY, GotMany, MailLabel
from modules.email.parsing.reader import MailReader

BATCH = 1_000
NO_LABEL = phrase("Gmail makes no label {name}: {why}")
GMAILS_OWN = phrase("{name} is a place of Gmail's own: ask to archive, to mark as spam or to put into the trash.")


@dataclass(frozen=True, slots=True)
class Change:
    """One request: the labels to add to these mails, and those to remove."""

    ids: list[str]
    add: list[str]
    remove: list[str]


class GmailBulkAdapter(BulkToolAdapter):
    """Acts on the owner's Gmail accounts, by name; the first is the default one."""

    def __init__(
        self, accounts: Mapping[str, GmailIntegration], reader: MailReader, mirror: Mirror, zone: ZoneInfo
    ) -> None:
        self._accounts, self._reader, self._mirror, self._zone = tuple(accounts), reader, mirror, zone
        self._asking = GmailAsking(accounts)
        self._listing = GmailListing(self._asking)
        self._meanwhile = GmailMeanwhile(self._asking)

    @property
    def tool_name(self) -> str:
        return "gmail"

    def limits(self, context: PreparedBulkContext) -> BulkLimits:
        return BulkLimits(PAGE, BATCH, listed_while_open="q" in context.query_params)

    def words(self, context: PreparedBulkContext) -> BulkWords:
        action = MailAction(context.action)
        if action is MailAction.MOVE and _goes_back(context):
            return words_of_putting_back()
        return words_of(action)

    def inverse(self, context: PreparedBulkContext) -> PreparedBulkContext | None:
        action = MailAction(context.action)
        if action in NAMING:
            back = {MailAction.LABEL: MailAction.UNLABEL, MailAction.UNLABEL: MailAction.LABEL}.get(action, action)
        else:
            back = MARKS[action].inverse
        params = context.action_params
        turned = {**params, "add": params["remove"], "remove": params["add"], "back": True}
        # The mails are known by their ids, so no query could find others.
        return replace(context, action=back.value, query_params={"ids": []}, action_params=turned)

    async def prepare(self, params: dict[str, Any]) -> PreparedBulkContext:
        action, selection, account = ordered(params, MailAction, selection_of, self._accounts)
        context = PreparedBulkContext(self.tool_name, action.value, {}, {}, {"account": account})
        await self._resolve(context, action, selection)
        return context

    async def get_total_count(self, context: PreparedBulkContext) -> int:
        return await counted(self, context)

    async def get_next_batch(self, context: PreparedBulkContext, batch_size: int, offset: int = 0) -> list[BulkItem]:
        if offset == 0:
            await self._meanwhile.begin(context)
        return await self._listing.batch(context, batch_size, offset)

    async def meanwhile(self, context: PreparedBulkContext) -> Sequence[BulkItem]:
        return await self._meanwhile.relabelled(context)

    async def vanished(self, context: PreparedBulkContext) -> Sequence[str]:
        return await self._meanwhile.deleted(context)

    async def execute_batch(self, items: list[BulkItem], context: PreparedBulkContext) -> list[BulkResult]:
        await self._find_label(context)
        sent = False
        for change in _changes(items, context):
            try:
                await self._send(change, context)
            except BatchLaterError as later:
                if sent:
                    # Only some of the undo's requests were done.
                    raise BatchUnclearError(later.detail) from later
                raise
            sent = True
        return [BulkResult(item.id, success=True) for item in items]

    async def sample(self, items: Sequence[BulkItem], context: PreparedBulkContext) -> Sequence[BulkDetail]:
        result = await self._asking.call(context, GET_MANY, {"ids": [item.id for item in items]})
        found = {one.id: one for one in GotMany.model_validate(answered(result)).mails}
        return [
            await self._detail(item.id, result.raw[item.id], found[item.id].received_at)
            for item in items
            if item.id in found
        ]

    async def by_sender(self, ids: Sequence[str], context: PreparedBulkContext) -> Sequence[tuple[str, int]]:
        return await self._mirror.senders("email", str(metadata_of(context)["account"]), ids)

    async def _detail(self, one: str, raw: bytes, at: Any) -> BulkDetail:
        mail = (await self._reader.read(raw)).mail
        sender = (mail.sender.name or mail.sender.address) if mail.sender else ""
        return BulkDetail(mail.subject, sender, at, item_id=one)

    # Preparing an order

    async def _resolve(self, context: PreparedBulkContext, action: MailAction, said: MailSelection) -> None:
        name = _name_in(said)
        labels = await self._asking.labels(context) if name or said.label else ()
        own = [label for label in labels if label.own]
        label = label_called(own, name) if name else None
        mine = [label.id] if label else []
        if action is MailAction.UNLABEL and not mine:
            raise ValueError(say("there is no label {name} in this mailbox", name=name))
        if action is MailAction.MOVE and (label_called(labels, name) and not mine):
            raise ValueError(say(GMAILS_OWN, name=name))
        marks = MARKS.get(action)
        # A missing label is created after the owner's approval.
        add = list(marks.add) if marks else mine if action is not MailAction.UNLABEL else []
        remove = list(marks.remove) if marks else {MailAction.UNLABEL: mine, MailAction.MOVE: [INBOX]}.get(action, [])
        context.action_params.update({"add": add, "remove": remove} | ({"label": name} if name else {}))
        if said.mails:
            context.query_params["ids"] = list(said.mails)
            return
        bears = label_called(own, said.label) if said.label else None
        # By id where it is known: Gmail's search cannot tell the label `a b` from `a-b`.
        line = "" if bears or not said.label else labelled(said.label)
        query = " ".join(filter(None, [line, selection_query(said, self._zone)]))
        context.query_params |= {"q": query, "labels": [bears.id] if bears else [], "parts": parts_of(action, mine)}
        if said.keep_mails:
            context.query_params["keep_ids"] = list(said.keep_mails)

    # The order's label

    async def _find_label(self, context: PreparedBulkContext) -> None:
        """Look up the id of a label that was missing; create the label, unless it is only to be removed."""
        params = context.action_params
        if "label" not in params or {*params["add"], *params["remove"]} - {INBOX}:
            return
        name, back = str(params["label"]), _goes_back(context)
        label = label_called(await self._asking.own_labels(context), name)
        if label is None and not back:
            result = await self._asking.call(context, CREATE_LABEL, {"name": name})
            if result.error is not None and result.error.code in REFUSED:
                # The name was refused, whatever the mails, so halving the batch is pointless.
                raise Reconfigure(say(NO_LABEL, name=name, why=result.error.message))
            label = MailLabel.model_validate(answered(result))
        if label is not None:
            side = "remove" if back else "add"
            params[side] = [*params[side], label.id]

    async def _send(self, change: Change, context: PreparedBulkContext) -> None:
        """Send one request; drop a deleted label from it, or replace it by a new label of the same name."""
        args = {"ids": change.ids, "add": change.add, "remove": change.remove}
        result = await self._asking.call(context, BATCH_MODIFY, args)
        if result.error is None:
            return
        gone = await self._missing_label(context) if result.error.code in REFUSED else ""
        if not gone:
            raise batch_fault(result.error)
        if gone in change.add:
            change = replace(change, add=[*_without(change.add, gone), await self._retry_note(context, gone)])
        change = replace(change, remove=_without(change.remove, gone))
        if change.add or change.remove:
            await self._send(change, context)

    async def _missing_label(self, context: PreparedBulkContext) -> str:
        """Return the id of the order's label if it no longer exists, else an empty text."""
        params = context.action_params
        named = {*params["add"], *params["remove"]} - {INBOX} if "label" in params else set[str]()
        return next(iter(named - {label.id for label in await self._asking.own_labels(context)}), "")

    async def _retry_note(self, context: PreparedBulkContext, gone: str) -> str:
        params = context.action_params
        label = label_called(await self._asking.own_labels(context), str(params["label"]))
        if label is None:
            raise Reconfigure(say(LABEL_GONE, name=params["label"]))
        params["add"] = [*_without(params["add"], gone), label.id]
        return label.id


def _changes(items: Sequence[BulkItem], context: PreparedBulkContext) -> Iterable[Change]:
    """Return a batch's requests; undoing may need several, if some mails had other labels before."""
    ids, on, off = [item.id for item in items], context.action_params["add"], context.action_params["remove"]
    known = {item.id: item.raw_data for item in items if item.raw_data}
    if not _goes_back(context) or not known:
        changes = [Change(ids, on, off)]
    else:
        had = {
            one: ({*data.get(HAD, on)} | {*data.get(CAME, ())}) - {*data.get(WENT, ())} for one, data in known.items()
        }
        changes = [Change([one for one in ids if label not in had.get(one, ())], [], [label]) for label in off]
        changes += [Change([one for one in ids if label in had.get(one, on)], [label], []) for label in on]
    return [change for change in changes if change.ids and (change.add or change.remove)]


def _goes_back(context: PreparedBulkContext) -> bool:
    return bool(context.action_params.get("back"))


def _name_in(said: MailSelection) -> str:
    """Return the label that an order names."""
    if isinstance(said, MoveSelection):
        return said.to
    return said.name if isinstance(said, LabelSelection) else ""


def _without(labels: Sequence[str], one: str) -> list[str]:
    return [label for label in labels if label != one]
