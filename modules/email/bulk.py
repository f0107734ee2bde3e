"""Many mails of the person's Gmail at once: ids are listed by 500 and changed by 1,000.

A query finds only mails that the action still changes, so what was done is exactly what can be taken back, and what is
listed after the end was not done.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from butler.contract.bulk import (
    NOT_SET_UP,
    BulkDetail,
    BulkItem,
    BulkLimits,
    BulkResult,
    BulkToolAdapter,
    BulkWords,
    PreparedBulkContext,
)
from butler.contract.bulk_tool import REFUSED, answered, batch_fault
from butler.contract.door import explain
from butler.contract.errors import Reconfigure
from butler.contract.integration import READS, IntegrationCall, IntegrationError, IntegrationResult
from butler.contract.mirror import Mirror
from butler.contract.speech import phrase, say
from modules._accounts.google_client import MOST_AT_ONCE
from modules.email.bulk_actions import MARKS, MailAction, words_of
from modules.email.bulk_args import LabelSelection, MailSelection
from modules.email.gmail_selecting import labelled, selection_query
from modules.email.integration_gmail import GmailIntegration
from modules.email.integration_gmail_records import (
    BATCH_MODIFY,
    CREATE_LABEL,
    GET_MANY,
    LABELS,
    LIST,
    GotMany,
    Listed,
    MailLabel,
    MailLabels,
)
from modules.email.reader import MailReader

PAGE, BATCH = 500, 1_000
LABELLING = frozenset({MailAction.LABEL, MailAction.UNLABEL})
LABEL_GONE = phrase("The label {name} is no longer there. Make it anew, and tap Resume.")
NO_LABEL = phrase("Gmail makes no label {name}: {why}")
_TIMEOUT_MS = 100_000


class GmailBulkAdapter(BulkToolAdapter):
    """All Gmail accounts of the person's, by name; the first is the default one."""

    def __init__(
        self, accounts: Mapping[str, GmailIntegration], reader: MailReader, mirror: Mirror, zone: ZoneInfo
    ) -> None:
        self._accounts, self._reader, self._mirror, self._zone = accounts, reader, mirror, zone

    @property
    def tool_name(self) -> str:
        return "gmail"

    def limits(self, context: PreparedBulkContext) -> BulkLimits:
        return BulkLimits(PAGE, BATCH, listed_while_open="q" in context.query_params)

    def words(self, context: PreparedBulkContext) -> BulkWords:
        return words_of(MailAction(context.action))

    def inverse(self, context: PreparedBulkContext) -> PreparedBulkContext | None:
        action = MailAction(context.action)
        params = context.action_params
        if action in LABELLING:
            back = MailAction.UNLABEL if action is MailAction.LABEL else MailAction.LABEL
        else:
            back = MARKS[action].inverse
        turned = {**params, "add": params["remove"], "remove": params["add"]}
        # Which mails it is about is known by their ids, so no query could find others.
        return replace(context, action=back.value, query_params={"ids": []}, action_params=turned)

    async def prepare(self, params: dict[str, Any]) -> PreparedBulkContext:
        try:
            action = MailAction(params["action"])
            model = LabelSelection if action in LABELLING else MailSelection
            said = model.model_validate({key: value for key, value in params.items() if key != "action"})
        except ValidationError as error:
            raise ValueError(explain(error)) from error
        except (KeyError, ValueError) as error:
            raise ValueError(_first_line(error)) from error
        account = said.account or next(iter(self._accounts))
        if account not in self._accounts:
            raise ValueError(f"there is no Gmail account {account!r}")
        context = PreparedBulkContext(self.tool_name, action.value, {}, {}, {"account": account})
        await self._resolve(context, action, said)
        return context

    async def get_total_count(self, context: PreparedBulkContext) -> int:
        own = replace(context, metadata=dict(context.metadata or {}))
        total = 0
        while page := await self.get_next_batch(own, PAGE, total):
            total += len(page)
        return total

    async def get_next_batch(self, context: PreparedBulkContext, batch_size: int, offset: int = 0) -> list[BulkItem]:
        place = _metadata(context)
        if offset == 0 or place.get("at") != offset:
            place |= {"at": 0, "cursor": None, "more": True}
        # Gmail knows no offsets: what comes before one that was not reached by paging is passed over.
        while place["at"] < offset and place["more"]:
            await self._page(context, min(PAGE, offset - place["at"]))
        while place["more"]:
            if items := await self._page(context, batch_size):
                return items
        return []

    async def execute_batch(self, items: list[BulkItem], context: PreparedBulkContext) -> list[BulkResult]:
        add, remove = await self._labels(context)
        args = {"ids": [item.id for item in items], "add": add, "remove": remove}
        result = await self._call(context, BATCH_MODIFY, args)
        if result.error is not None:
            await self._explain(result.error, context)
        return [BulkResult(item.id, success=True) for item in items]

    async def sample(self, items: Sequence[BulkItem], context: PreparedBulkContext) -> Sequence[BulkDetail]:
        result = await self._call(context, GET_MANY, {"ids": [item.id for item in items]})
        found = {one.id: one for one in GotMany.model_validate(answered(result)).mails}
        return [
            await self._detail(result.raw[item.id], found[item.id].received_at) for item in items if item.id in found
        ]

    async def by_sender(self, ids: Sequence[str], context: PreparedBulkContext) -> Sequence[tuple[str, int]]:
        return await self._mirror.senders("email", str(_metadata(context)["account"]), ids)

    # Which mails

    async def _resolve(self, context: PreparedBulkContext, action: MailAction, said: MailSelection) -> None:
        add, remove, only = await self._marks(context, action, said)
        context.action_params.update({"add": add, "remove": remove})
        if isinstance(said, LabelSelection):
            context.action_params["label"] = said.name
        if said.mails:
            context.query_params["ids"] = list(said.mails)
            return
        context.query_params["q"] = selection_query(said, self._zone, only)
        if isinstance(said, LabelSelection):
            # Others may rename the label meanwhile, and Gmail finds by names.
            context.query_params |= {"labelled": action is MailAction.UNLABEL}

    async def _marks(
        self, context: PreparedBulkContext, action: MailAction, said: MailSelection
    ) -> tuple[list[str], list[str], str]:
        if not isinstance(said, LabelSelection):
            marks = MARKS[action]
            return list(marks.add), list(marks.remove), marks.open
        label = _find(await self._own_labels(context), said.name)
        if action is MailAction.LABEL:
            # A label that is not there yet is made once the owner has said yes.
            return ([label.id] if label else []), [], ""
        if label is None:
            raise ValueError(say("there is no label {name} in this mailbox", name=said.name))
        return [], [label.id], ""

    async def _page(self, context: PreparedBulkContext, size: int) -> list[BulkItem]:
        """The next items, and where the ones after them are; none does not mean that there are no more."""
        place = _metadata(context)
        found, following = await (self._listed if "q" in context.query_params else self._named)(context, size)
        place |= {"at": place["at"] + len(found), "cursor": following, "more": following is not None}
        return [BulkItem(one, one) for one in found]

    async def _listed(self, context: PreparedBulkContext, size: int) -> tuple[list[str], str | None]:
        args = {"query": await self._query(context), "page_size": min(size, PAGE), "background": True}
        result = await self._call(context, LIST, args, _metadata(context)["cursor"])
        return [mail.id for mail in Listed.model_validate(answered(result)).mails], result.meta.next_cursor

    async def _query(self, context: PreparedBulkContext) -> str:
        """The line; a label in it is called what it is called when the listing begins."""
        said, place = context.query_params, _metadata(context)
        if "labelled" not in said:
            return str(said["q"])
        if place["cursor"] is None:
            params = context.action_params
            ids = {*params["add"], *params["remove"]}
            label = next((one for one in await self._own_labels(context) if one.id in ids), None)
            if ids and label is None:
                raise Reconfigure(say(LABEL_GONE, name=params["label"]))
            place["label"] = label.name if label else params["label"]
        return f"{'' if said['labelled'] else '-'}{labelled(place['label'])} {said['q']}"

    async def _named(self, context: PreparedBulkContext, size: int) -> tuple[list[str], str | None]:
        """Of the mails that are named, those that are there and that the action changes."""
        first, every = int(_metadata(context)["cursor"] or 0), context.query_params["ids"]
        ids = every[first : first + min(size, MOST_AT_ONCE)]
        mails = GotMany.model_validate(answered(await self._call(context, GET_MANY, {"ids": ids}))).mails if ids else []
        add, remove = set(context.action_params["add"]), set(context.action_params["remove"])
        # A label that is yet to be made is on none of them.
        new = not add and not remove
        found = [mail.id for mail in mails if new or remove & set(mail.labels) or add - set(mail.labels)]
        after = first + len(ids)
        return found, str(after) if after < len(every) else None

    async def _detail(self, raw: bytes, at: Any) -> BulkDetail:
        mail = (await self._reader.read(raw)).mail
        sender = (mail.sender.name or mail.sender.address) if mail.sender else ""
        return BulkDetail(mail.subject, sender, at)

    # Labels

    async def _labels(self, context: PreparedBulkContext) -> tuple[list[str], list[str]]:
        """What is put on and taken off; the label of the person's is made, where it is not there yet."""
        params = context.action_params
        if not params["add"] and not params["remove"]:
            name = str(params["label"])
            label = _find(await self._own_labels(context), name)
            if label is None:
                result = await self._call(context, CREATE_LABEL, {"name": name})
                if result.error is not None and result.error.code in REFUSED:
                    # Refused for its name, which no mail can help: there is nothing to halve.
                    raise Reconfigure(say(NO_LABEL, name=name, why=result.error.message))
                label = MailLabel.model_validate(answered(result))
            params["add"] = [label.id]
        return params["add"], params["remove"]

    async def _own_labels(self, context: PreparedBulkContext) -> list[MailLabel]:
        found = MailLabels.model_validate(answered(await self._call(context, LABELS, {}))).labels
        return [label for label in found if label.own]

    # The way to Gmail

    async def _call(
        self, context: PreparedBulkContext, method_id: str, args: dict[str, Any], cursor: str | None = None
    ) -> IntegrationResult:
        integration = self._accounts.get(str(_metadata(context)["account"]))
        if integration is None:
            raise Reconfigure(say(NOT_SET_UP))
        call = IntegrationCall(
            trace_id=f"bulk-{context.action}",
            method_id=method_id,
            args=args,
            timeout_ms=_TIMEOUT_MS,
            retry_policy=READS,
            cursor=cursor,
        )
        return await integration.call(call)

    async def _explain(self, error: IntegrationError, context: PreparedBulkContext) -> None:
        """Raise what an error means for the whole batch."""
        if error.code in REFUSED and "label" in context.action_params:
            label = {one.id for one in await self._own_labels(context)}
            if not set(context.action_params["add"] + context.action_params["remove"]) <= label:
                name = context.action_params["label"]
                raise Reconfigure(say(LABEL_GONE, name=name))
        raise batch_fault(error)


def _metadata(context: PreparedBulkContext) -> dict[str, Any]:
    if context.metadata is None:
        context.metadata = {}
    return context.metadata


def _find(labels: Sequence[MailLabel], name: str) -> MailLabel | None:
    return next((label for label in labels if label.name.casefold() == name.casefold()), None)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
