"""The handlers that read the owner's conversations: live from Telegram, or from the mirror; the answer says which."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult, Json, ResultMeta, ResultProvenance
from butler.contract.mirror import ChatKind, SeenChat, SeenMessage, SeenQuery
from butler.contract.module import ModuleContext
from butler.contract.speech import say, say_short_moment
from butler.contract.tools import ToolCall
from butler.contract.wall_time import moment_in
from modules.telegram.address import Address
from modules.telegram.feed_position import ChatPosition
from modules.telegram.method_ids import USER_DIALOGS, USER_DOWNLOAD, USER_GET_MESSAGES, USER_HISTORY
from modules.telegram.normalise import CHANNEL
from modules.telegram.user_args import GetUpdatesArgs, HistoryArgs, ListDialogsArgs, ReadMessageArgs
from modules.telegram.user_called import Titled, called
from modules.telegram.user_calls import Accounts, reads
from modules.telegram.user_items import item_of
from modules.telegram.user_limits import FILES_TIMEOUT_MS

if TYPE_CHECKING:
    from modules.telegram.user_account import UserAccount

CHOICES = 10
DIALOGS_LOOKED_THROUGH = 500
MOST_OF_A_TOPIC = 2000
"""Stored messages of a chat to search for those of one topic."""
_OUT_OF_REACH = frozenset({IntegrationErrorCode.UNAVAILABLE, IntegrationErrorCode.TIMEOUT})


class UserReading:
    """The handlers of the tools that read."""

    def __init__(self, accounts: Accounts, context: ModuleContext) -> None:
        self._accounts = accounts
        self._context = context
        self._mirror = context.storage.mirror

    async def list_dialogs(self, call: ToolCall) -> IntegrationResult:
        """List the newest conversations, live."""
        args: ListDialogsArgs = call.args
        wanted: Json = {"limit": args.limit, "unread": args.unread, "muted": args.muted}
        return await self._accounts.of(call).api.call(reads(call, USER_DIALOGS, wanted))

    async def get_updates(self, call: ToolCall) -> IntegrationResult:
        """Return others' messages from the mirror, and until when it is complete."""
        args, account = _updates_of(call), self._accounts.of(call)
        query = SeenQuery(
            CHANNEL,
            account.name,
            since=self._since(args),
            incoming=True,
            unread=args.unread,
            muted=args.muted,
            limit=args.limit,
        )
        titles = {chat.chat: chat.title for chat in await self._mirror.chats(CHANNEL, account.name)}
        found = [message for message in await self._mirror.messages(query) if not _left_out(account, message.chat)]
        items = [{**self._item(account, message), "chat_name": titles.get(message.chat, "")} for message in found]
        count = await self._mirror.count(query) if len(items) == args.limit else len(items)
        data: Json = {"count": count, "items": items, **self._standing(account)}
        if not items:
            data["empty_because"] = "; ".join(filter(None, (_nothing_new(args), data.get("reason", ""))))
        return _kept(data, account)

    async def history(self, call: ToolCall) -> IntegrationResult:
        """Return one conversation: live, or from the mirror if Telegram cannot be reached."""
        args, account = _history_of(call), self._accounts.of(call)
        address = args.chat
        if not address:
            fitting = await self._called(call, account, args.called)
            if isinstance(fitting, IntegrationResult):
                return fitting
            if len(fitting) != 1:
                return _choices(args.called[0], fitting)
            address = fitting[0].address
        place, since = Address.parse(address), self._since(args)
        wanted: Json = {
            "chat": place.chat_id,
            "limit": args.limit,
            "topic": place.thread_id or 0,
            "unread": args.unread,
            "words": args.words.strip(),
            "since": since.isoformat() if since else None,
        }
        result = await account.api.call(reads(call, USER_HISTORY, wanted))
        if result.error is not None and result.error.code in _OUT_OF_REACH:
            return await self._kept_history(account, place, args) or result
        return self._with_addresses(account, result)

    async def find_history(self, call: ToolCall) -> IntegrationResult:
        """Check, before approval, that a conversation fits the owner's words. Fills in nothing."""
        args = _history_of(call)
        if not args.chat:
            fitting = await self._called(call, self._accounts.of(call), args.called)
            if not isinstance(fitting, IntegrationResult) and not fitting:
                return failed(IntegrationErrorCode.NOT_FOUND, _none_called(args.called[0]))
        return IntegrationResult(ok=True, data={})

    async def read_message(self, call: ToolCall) -> IntegrationResult:
        """Return one message whole, or its album, with its files as blobs."""
        args: ReadMessageArgs = call.args
        account, chat = self._accounts.of(call), Address.parse(args.chat).chat_id
        numbers = self._accounts.numbers(call, (args.message_id,))
        if isinstance(numbers, IntegrationResult):
            return numbers
        wanted: Json = {"chat": chat, "message_ids": numbers, "album": True}
        result = await account.api.call(reads(call, USER_GET_MESSAGES, wanted))
        if result.data is None or "items" not in result.data:
            return result
        items: list[Json] = result.data["items"]
        if not items:
            return failed(IntegrationErrorCode.NOT_FOUND, say("this conversation has no such message any more"))
        message = self._addressed(account, next((i for i in items if i["message_id"] == numbers[0]), items[0]))
        message["text"] = "\n\n".join(filter(None, (item["text"] for item in items)))
        message["links"] = [link for item in items for link in item["links"]]
        message["problems"] = [problem for item in items for problem in item["problems"]]
        fetched, missing = await self._fetch(call, account, chat, items)
        message |= {"attachments": fetched, "missing_files": missing, "chat_name": result.data["name"]}
        message["problems"] += [
            say("{file} was not fetched: {why}", file=file["name"], why=file["reason"]) for file in missing
        ]
        return IntegrationResult(ok=True, data={"message": message}, meta=result.meta)

    async def _fetch(
        self, call: ToolCall, account: "UserAccount", chat: int | str, items: Sequence[Json]
    ) -> tuple[list[Json], list[Json]]:
        """Return the files as attachments, and those that could not be fetched, with the reason."""
        most = account.settings.largest_file_mb * 1_000_000
        fetched: list[Json] = []
        missing: list[Json] = []
        for item in items:
            for file in item["attachments"]:
                wanted: Json = {"chat": chat, "message_id": item["message_id"], "most": most}
                result = await account.api.call(reads(call, USER_DOWNLOAD, wanted, FILES_TIMEOUT_MS))
                if result.error is None:
                    fetched.append(result.data or {})
                else:
                    missing.append({"name": file["name"], "size": file["size"], "reason": result.error.message})
        return fetched, missing

    async def _called(
        self, call: ToolCall, account: "UserAccount", words: Sequence[str]
    ) -> Sequence[Titled] | IntegrationResult:
        """Return the conversations that fit the owner's words: from the mirror, or else from Telegram's list."""
        kept = [Titled(chat.chat, chat.title, chat.kind) for chat in await self._mirror.chats(CHANNEL, account.name)]
        fitting = called(words, [chat for chat in kept if not _left_out(account, chat.address)])
        if fitting:
            return fitting
        result = await account.api.call(reads(call, USER_DIALOGS, {"limit": DIALOGS_LOOKED_THROUGH}))
        if result.data is None:
            return result
        listed: list[Json] = result.data.get("items", [])
        return called(words, [Titled(chat["id"], chat["name"], ChatKind(chat["kind"])) for chat in listed])

    async def _kept_history(
        self, account: "UserAccount", place: Address, args: HistoryArgs
    ) -> IntegrationResult | None:
        """Return a conversation from the mirror; None if it is not stored."""
        chat = await self._kept_chat(account, place.chat_id)
        if chat is None or _left_out(account, chat.chat):
            return None
        query = SeenQuery(
            CHANNEL,
            account.name,
            chat.chat,
            words=args.words,
            since=self._since(args),
            incoming=args.unread,
            unread=args.unread,
            muted=True,
            limit=MOST_OF_A_TOPIC if place.thread_id else args.limit,
        )
        topic = str(place.thread_id or "")
        found = [message for message in await self._mirror.messages(query) if topic in {"", message.topic}]
        items = [self._item(account, message) for message in found[: args.limit]]
        until = account.source.health().last_ok
        data: Json = {
            "count": len(items),
            "items": items,
            "chat": chat.chat,
            "name": chat.title,
            "complete_until": until.isoformat() if until else None,
            "complete": False,
            "reason": self._read_before(until),
        }
        if not items:
            data["empty_because"] = say("Telegram cannot be reached, and nothing of what was read of it before fits")
        return _kept(data, account)

    def _read_before(self, until: datetime | None) -> str:
        if until is None:
            return say("Telegram cannot be reached; this is what was read of it before")
        return say("Telegram cannot be reached; this is what was read of it until {moment}", moment=self._wall(until))

    async def _kept_chat(self, account: "UserAccount", chat: int | str) -> SeenChat | None:
        known = account.peers.recent_id(chat)
        if known is not None:
            return await self._mirror.chat(CHANNEL, account.name, str(Address(known)))
        name = str(chat).removeprefix("@").lower()
        every = await self._mirror.chats(CHANNEL, account.name)
        return next((one for one in every if name in ChatPosition.parse(one.cursor).names), None)

    def _standing(self, account: "UserAccount") -> Json:
        """Return until when the mirror is complete, and why not later."""
        health, now = account.source.health(), self._context.clock.now()
        until = health.last_ok
        data: Json = {"complete_until": until.isoformat() if until else None}
        fresh = until is not None and (now - until).total_seconds() <= health.stale_after_s
        if fresh and not (health.stopped or health.failing):
            behind = {
                "complete": False,
                "reason": say("what was written before is still being read ({progress})", progress=health.detail),
            }
            return data | (behind if health.detail else {"complete": True})
        reason = (
            say("your Telegram was read until {moment}", moment=self._wall(until))
            if until
            else say("your Telegram was not read yet")
        )
        return {**data, "complete": False, "reason": f"{reason} ({health.detail})" if health.detail else reason}

    def _since(self, args: GetUpdatesArgs | HistoryArgs) -> datetime | None:
        return None if args.since is None else moment_in(args.since, args.in_zone, self._context.zone)

    def _wall(self, at: datetime) -> str:
        return say_short_moment(at.astimezone(self._context.zone))

    def _item(self, account: "UserAccount", message: SeenMessage) -> Json:
        return self._addressed(account, item_of(message))

    def _addressed(self, account: "UserAccount", item: Json) -> Json:
        return {**item, "message_id": self._accounts.message_id(account, item["chat"], item["message_id"])}

    def _with_addresses(self, account: "UserAccount", result: IntegrationResult) -> IntegrationResult:
        if result.data is None or "items" not in result.data:
            return result
        items = [self._addressed(account, item) for item in result.data["items"]]
        return result.model_copy(update={"data": {**result.data, "items": items}})


def _updates_of(call: ToolCall) -> GetUpdatesArgs:
    return call.args


def _history_of(call: ToolCall) -> HistoryArgs:
    return call.args


def _left_out(account: "UserAccount", chat: str) -> bool:
    """Return whether a stored chat is now left out."""
    chat_id = Address.parse(chat).chat_id
    return isinstance(chat_id, int) and account.feed_filter.leaves_out(chat_id)


def _choices(words: str, fitting: Sequence[Titled]) -> IntegrationResult:
    """Return several fitting conversations, or none, as choices; nothing is read."""
    choices = [{"id": chat.address, "name": chat.title, "kind": chat.kind.value} for chat in fitting[:CHOICES]]
    why = (
        say("{count} conversations are called “{name}”", count=len(fitting), name=words)
        if fitting
        else _none_called(words)
    )
    data: Json = {"count": 0, "items": [], "choices": choices, "empty_because": why}
    return IntegrationResult(ok=True, data=data)


def _none_called(words: str) -> str:
    return say("no conversation is called “{name}”", name=words)


def _nothing_new(args: GetUpdatesArgs) -> str:
    if args.unread:
        return say("nothing is unread")
    return say("nobody has written to you") if args.since is None else say("nobody has written to you since then")


def _kept(data: Json, account: "UserAccount") -> IntegrationResult:
    source = ResultProvenance(source_type="mirror", source_ref=f"telegram:{account.name}")
    return IntegrationResult(ok=True, data=data, meta=ResultMeta(provenance=source))
