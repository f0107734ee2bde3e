"""The handlers that act as the owner: send, reply, edit, delete; and what a card has to show of each act."""

from collections.abc import Mapping
from typing import Any

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult, Json
from butler.contract.speech import phrase, say
from butler.contract.tools import Reconciled, Settled, ToolCall
from modules.telegram.address import Address
from modules.telegram.method_ids import USER_DELETE, USER_EDIT, USER_GET_MESSAGES, USER_SEND
from modules.telegram.user_args import DeleteArgs, EditArgs, MessageArgs, ReplyArgs
from modules.telegram.user_calls import Accounts, acts, reads
from modules.telegram.user_items import quote_of
from modules.telegram.user_limits import FILES_TIMEOUT_MS, TIMEOUT_MS

_GROUPS = "telegram:-"
"""The prefix of the addresses of groups and channels."""
_CHANGED_ELSEWHERE = phrase("the message was changed elsewhere since its card was shown, so it was left as it is")
_CHANGED_SINCE = phrase("the message says something else by now: leave this empty, it is read from Telegram")


class UserWriting:
    """The handlers of the tools that act, with their completion and reconciliation."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    async def send(self, call: ToolCall) -> IntegrationResult:
        """Send a message; the call's token is its random id."""
        return await self._send(call, {})

    async def reply(self, call: ToolCall) -> IntegrationResult:
        """Send a message as a reply."""
        args: ReplyArgs = call.args
        numbers = self._accounts.numbers(call, (args.message_id,))
        if isinstance(numbers, IntegrationResult):
            return numbers
        more: Json = {"reply_to": numbers[0]}
        return await self._send(call, more | ({"topic": args.topic} if args.topic else {}))

    async def edit(self, call: ToolCall) -> IntegrationResult:
        """Edit a message, unless its text was changed elsewhere since the card was shown."""
        args: EditArgs = call.args
        numbers = self._accounts.numbers(call, (args.message_id,))
        if isinstance(numbers, IntegrationResult):
            return numbers
        if args.was:
            items = await self._messages(call, args.to.address, (args.message_id,))
            if isinstance(items, IntegrationResult):
                return items
            texts = {str(items[0]["exact_text"]).strip(), _text_or_files(items[0]).strip()}
            if texts.isdisjoint({args.was.strip(), args.text.strip()}):
                return failed(IntegrationErrorCode.CONFLICT, say(_CHANGED_ELSEWHERE))
        wanted: Json = {"to": Address.parse(args.to.address).chat_id, "message_id": numbers[0], "text": args.text}
        return await self._accounts.of(call).api.call(acts(call, USER_EDIT, wanted))

    async def delete(self, call: ToolCall) -> IntegrationResult:
        """Delete messages, for everybody."""
        args: DeleteArgs = call.args
        numbers = self._accounts.numbers(call, args.message_ids)
        if isinstance(numbers, IntegrationResult):
            return numbers
        wanted: Json = {"to": Address.parse(args.to.address).chat_id, "message_ids": numbers}
        return await self._accounts.of(call).api.call(acts(call, USER_DELETE, wanted))

    async def complete_reply(self, call: ToolCall) -> IntegrationResult:
        """Return what the message to answer says, and its topic."""
        args: ReplyArgs = call.args
        items = await self._messages(call, args.to.address, (args.message_id,))
        if isinstance(items, IntegrationResult):
            return items
        (item,) = items
        answers = _message_line(item)
        if args.answers not in {"", answers}:
            return failed(IntegrationErrorCode.CONFLICT, say(_CHANGED_SINCE))
        return IntegrationResult(ok=True, data={"answers": answers, "topic": int(item["topic"] or 0)})

    async def complete_edit(self, call: ToolCall) -> IntegrationResult:
        """Return the message's current text."""
        args: EditArgs = call.args
        return await self._complete_own(call, args.to.address, (args.message_id,), args.was)

    async def complete_delete(self, call: ToolCall) -> IntegrationResult:
        """Return the messages' current texts."""
        args: DeleteArgs = call.args
        return await self._complete_own(call, args.to.address, args.message_ids, args.was)

    async def reconcile_edit(self, call: ToolCall) -> Reconciled:
        """Settle an edit by whether the message has its new text."""
        args: EditArgs = call.args
        items = await self._messages(call, args.to.address, (args.message_id,))
        if isinstance(items, IntegrationResult):
            return _unclear(items, phrase("The message is gone, so there is nothing to be changed."), Settled.FAILED)
        now = str(items[0]["exact_text"]).strip()
        if now == args.text.strip():
            return Reconciled.with_text(Settled.DONE, phrase("The message has its new text."))
        if now == args.was.strip():
            return Reconciled.with_text(Settled.REPEAT, phrase("The message has its old text, so it is changed again."))
        return Reconciled.with_text(
            Settled.UNKNOWN, phrase("The message has another text by now, so somebody changed it since.")
        )

    async def reconcile_delete(self, call: ToolCall) -> Reconciled:
        """Settle a deletion by whether a message is left."""
        args: DeleteArgs = call.args
        items = await self._messages(call, args.to.address, args.message_ids)
        if isinstance(items, IntegrationResult):
            return _unclear(items, phrase("The message is gone."), Settled.DONE)
        return Reconciled.with_text(Settled.REPEAT, phrase("The message is still there, so it is deleted again."))

    async def _send(self, call: ToolCall, more: Json) -> IntegrationResult:
        args: MessageArgs = call.args
        place = Address.parse(args.to.address)
        files = [attachment.model_dump(mode="json") for attachment in args.attachments]
        wanted: Json = {"to": place.chat_id, "text": args.text, "topic": place.thread_id or 0, "attachments": files}
        timeout_ms = FILES_TIMEOUT_MS if files else TIMEOUT_MS
        return await self._accounts.of(call).api.call(acts(call, USER_SEND, wanted | more, timeout_ms))

    async def _complete_own(
        self, call: ToolCall, chat: str, message_ids: tuple[str, ...], was: str
    ) -> IntegrationResult:
        items = await self._messages(call, chat, message_ids)
        if isinstance(items, IntegrationResult):
            return items
        if not all(item["outgoing"] for item in items):
            return failed(IntegrationErrorCode.FORBIDDEN, say("only your own messages can be changed or deleted"))
        text = "\n\n".join(_text_or_files(item) for item in items)
        if was.strip() not in {"", text.strip()}:
            return failed(IntegrationErrorCode.CONFLICT, say(_CHANGED_SINCE))
        return IntegrationResult(ok=True, data={"was": text})

    async def _messages(
        self, call: ToolCall, chat: str, message_ids: tuple[str, ...]
    ) -> list[Json] | IntegrationResult:
        """Return the messages that still exist; a failure if none does."""
        numbers = self._accounts.numbers(call, message_ids)
        if isinstance(numbers, IntegrationResult):
            return numbers
        wanted: Json = {"chat": Address.parse(chat).chat_id, "message_ids": numbers}
        reading = reads(call, USER_GET_MESSAGES, wanted).model_copy(update={"dry_run": False})
        result = await self._accounts.of(call).api.call(reading)
        if result.data is None:
            return result
        items: list[Json] = [item | {"chat_name": result.data["name"]} for item in result.data["items"]]
        return items or failed(IntegrationErrorCode.NOT_FOUND, say("the message is gone"))


async def telegram_deduplicates(_call: ToolCall) -> Reconciled:
    """Settle a send by repeating it: its random id makes that safe."""
    return Reconciled.with_text(
        Settled.REPEAT, phrase("Telegram takes a message with the same number only once, so it is sent again.")
    )


def deletion(args: MessageArgs, sent: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arguments that delete what was sent; None if its ids are unknown."""
    ids = _sent_ids(sent)
    if not ids:
        return None
    return {"to": args.to.model_dump(), "message_ids": ids, "was": args.text, "account": args.account}


def correction(args: MessageArgs, sent: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arguments, without the new text, that edit what was sent; of an album, its first file's text."""
    ids = _sent_ids(sent)
    if not ids:
        return None
    return {"to": args.to.model_dump(), "message_id": ids[0], "was": args.text, "account": args.account}


def _sent_ids(sent: Mapping[str, Any]) -> list[str]:
    ids = sent.get("message_ids") or filter(None, (sent.get("message_id"),))
    return [str(message_id) for message_id in ids]


def _unclear(result: IntegrationResult, gone: str, settled: Settled) -> Reconciled:
    """Return the outcome of an attempt on a message that could not be read."""
    error = result.error
    if error is not None and error.code is IntegrationErrorCode.NOT_FOUND:
        return Reconciled.with_text(settled, gone)
    return Reconciled.with_text(
        Settled.UNKNOWN,
        phrase("It cannot be looked up: {why}."),
        why=error.message if error else say("no answer"),
    )


def _text_or_files(item: Json) -> str:
    """Return the text, or the file names if there is none."""
    return item["exact_text"] or ", ".join(file["name"] for file in item["attachments"])


def _message_line(item: Json) -> str:
    """Return who said what and where, in one line."""
    quote = quote_of(item["text"], (file["name"] for file in item["attachments"]))
    who = say("You") if item["outgoing"] else item["sender_name"]
    # The address alone would not tell which group it is.
    name = item["chat_name"] or (say("a group without a name") if item["chat"].startswith(_GROUPS) else "")
    if who and name and item["chat"] != item["sender"]:
        return say("{who} in {chat}: {quote}", who=who, chat=name, quote=quote)
    return say("{who}: {quote}", who=who, quote=quote) if who else quote
