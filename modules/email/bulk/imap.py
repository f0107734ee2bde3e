"""Bulk operations over IMAP: mails are found by UID SEARCH, and marked or moved by sets of UIDs.

A mail's id is where it was listed: folder, UIDVALIDITY and UID. Each mail carries its Message-ID from the listing on,
and its new place after a move, so that a lost answer can be cleared up and what was done can be undone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.bulk import (
    BulkDetail,
    BulkItem,
    BulkLimits,
    BulkResult,
    BulkToolAdapter,
    BulkWords,
    PreparedBulkContext,
)
from butler.contract.bulk_adapter import counted, metadata_of, ordered
from butler.contract.mirror import Mirror
from butler.contract.speech import phrase, say
from modules.email.bulk.imap_actions import FLAGS, INVERSE, LONGEST_KEYWORD, WAYS, keyword_of, words_on_server
from modules.email.bulk.imap_calls import BulkCalls
from modules.email.bulk.imap_execution import BatchExecution
from modules.email.bulk.imap_folders import Places
from modules.email.bulk.imap_listing import PAGE, Listing
from modules.email.bulk_actions import MailAction
from modules.email.bulk_args import TABS, Category, LabelSelection, MailSelection, MoveSelection, selection_of
from modules.email.imap.bulk_methods import AllFolders
from modules.email.imap.bulk_moving import CANNOT_MOVE
from modules.email.imap.connection import INBOX
from modules.email.imap.folders import Role
from modules.email.imap.methods import FETCH, FetchedMails
from modules.email.imap.user_ids import place_of, spelt_in_ids
from modules.email.integration_smtp_imap import SmtpImapIntegration
from modules.email.parsing.reader import MailReader

BATCH = 500
NO_TABS = phrase("only Gmail sorts mails into the tab {tab}; say whose mails you mean, or with which words")
NO_KEYWORDS = phrase("your mail server keeps no labels on mails; I can move them to a folder instead")
LONG_KEYWORD = phrase("on a mail server, the name of a label has {count} characters at most")


class ImapBulkAdapter(BulkToolAdapter):
    """Acts on the owner's IMAP accounts, by name; the first is the default one."""

    def __init__(
        self, accounts: Mapping[str, SmtpImapIntegration], reader: MailReader, mirror: Mirror, zone: ZoneInfo
    ) -> None:
        self._calls, self._reader, self._mirror = BulkCalls(accounts), reader, mirror
        self._listing = Listing(self._calls, zone)

    @property
    def tool_name(self) -> str:
        return "imap"

    def limits(self, context: PreparedBulkContext) -> BulkLimits:
        return BulkLimits(PAGE, BATCH, listed_while_open="folders" in context.query_params)

    def words(self, context: PreparedBulkContext) -> BulkWords:
        return words_on_server(MailAction(context.action), context.action_params, context.query_params)

    def inverse(self, context: PreparedBulkContext) -> PreparedBulkContext | None:
        action, params = MailAction(context.action), context.action_params
        if params.get("back"):
            return None
        if action in WAYS:
            return replace(context, query_params={"ids": []}, action_params={**params, "back": True})
        turned = {**params, "on": not params["on"]}
        return replace(context, action=INVERSE[action].value, query_params={"ids": []}, action_params=turned)

    async def prepare(self, params: dict[str, Any]) -> PreparedBulkContext:
        action, selection, account = ordered(params, MailAction, selection_of, self._calls.accounts)
        if selection.category not in {None, Category.PROMOTIONS}:
            raise ValueError(say(NO_TABS, tab=say(TABS[selection.category]) if selection.category else ""))
        context = PreparedBulkContext(self.tool_name, action.value, {}, {}, {"account": account})
        await self._resolve(context, action, selection)
        return context

    async def get_total_count(self, context: PreparedBulkContext) -> int:
        return await counted(self, context)

    async def get_next_batch(self, context: PreparedBulkContext, batch_size: int, offset: int = 0) -> list[BulkItem]:
        return await self._listing.after(context, min(batch_size, PAGE), offset)

    async def execute_batch(self, items: list[BulkItem], context: PreparedBulkContext) -> list[BulkResult]:
        return await BatchExecution(self._calls, context).act(items)

    async def sample(self, items: Sequence[BulkItem], context: PreparedBulkContext) -> Sequence[BulkDetail]:
        """Return details of these mails and of the newest and oldest listed, which several folders' ends may miss."""
        ids = dict.fromkeys([*(item.id for item in items), *self._listing.ends(context)])
        details: dict[str, BulkDetail] = {}
        for (folder, validity), uids in self._calls.by_folder(ids).items():
            args = {"folder": folder, "uidvalidity": validity, "uids": uids, "headers_only": True}
            result = await self._calls.call(context, FETCH, args)
            if result.error is not None:
                continue
            mails = [mail for mail in FetchedMails.model_validate(result.data).mails if mail.uid in result.raw]
            read = await self._reader.read_many([result.raw[mail.uid] for mail in mails])
            for mail, one in zip(mails, read, strict=True):
                sender = one.mail.sender
                who = (sender.name or sender.address) if sender else ""
                key = place_of(spelt_in_ids(folder), validity, mail.uid)
                details[key] = BulkDetail(one.mail.subject, who, mail.received_at, key)
        return [details[one] for one in ids if one in details]

    async def by_sender(self, ids: Sequence[str], context: PreparedBulkContext) -> Sequence[tuple[str, int]]:
        return await self._mirror.senders("email", str(metadata_of(context)["account"]), ids)

    # Preparing an order

    async def _resolve(self, context: PreparedBulkContext, action: MailAction, said: MailSelection) -> None:
        places = Places(AllFolders.model_validate(await self._calls.folders(context)))
        params = context.action_params
        if action in WAYS:
            if not places.known.can_move:
                raise ValueError(say(CANNOT_MOVE))
            params["to"] = places.target(action, said.to if isinstance(said, MoveSelection) else "")
        elif action in FLAGS:
            params["flag"], params["on"] = FLAGS[action]
        elif isinstance(said, LabelSelection):
            params |= {"flag": _keyword(places.known, said.name, new=action is MailAction.LABEL), "label": said.name}
            params["on"] = action is MailAction.LABEL
        if said.mails:
            homes = dict.fromkeys(filter(None, (INBOX, places.of(Role.ARCHIVE), places.of(Role.ALL))))
            within = _within(places, action) if action in WAYS else ()
            context.query_params |= {"ids": list(said.mails), "homes": list(homes), "within": list(within)}
            return
        folders = places.searched_folders(action, label=said.label, inbox=said.inbox, target=params.get("to", ""))
        if action is MailAction.UNARCHIVE:
            params["from"] = next(iter(folders), "")
        keyword = keyword_of(said.label) if said.label and not places.called(said.label) else ""
        context.query_params |= {"folders": list(folders), **_criteria(said, params, keyword)}


def _criteria(said: MailSelection, params: Mapping[str, Any], keyword: str) -> dict[str, Any]:
    """Return a mail's criteria in JSON; `keyword` is a label that is not a folder."""
    flags: list[tuple[str, bool]] = [(params["flag"], not params["on"])] if "flag" in params else []
    flags += [("\\Seen", not said.unread)] if said.unread is not None else []
    flags += [(keyword, True)] if keyword else []
    return {
        "flags": [list(flag) for flag in flags],
        "senders": list(said.senders),
        "keep": list(said.keep),
        "keep_mails": list(said.keep_mails),
        "words": [word for word in said.words.split() if any(map(str.isalnum, word))],
        "subject": said.subject,
        "list_id": said.list_id,
        "newsletter": said.category is Category.PROMOTIONS,
        "since": said.since.isoformat() if said.since else None,
        "before": said.before.isoformat() if said.before else None,
        "larger": said.larger_kb * 1024,
        "attachment": said.attachment,
    }


def _within(places: Places, action: MailAction) -> tuple[str, ...]:
    """Return the folders that a mail must lie in for the action; empty for any."""
    way = WAYS[action]
    if action is MailAction.ARCHIVE:
        return (INBOX,)
    return (places.of(way.source),) if way.source is not None else ()


def _keyword(known: AllFolders, name: str, *, new: bool) -> str:
    keyword = keyword_of(name)
    if len(keyword) > LONGEST_KEYWORD:
        raise ValueError(say(LONG_KEYWORD, count=LONGEST_KEYWORD))
    if new and not known.any_keyword and keyword not in known.keywords:
        raise ValueError(say(NO_KEYWORDS))
    return keyword
