"""The tools of the butler's bot: thin, one operation each."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from butler.contract.base_integration import BaseIntegration
from butler.contract.card import Span
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode, Retryable
from butler.contract.inbound import Inbound
from butler.contract.integration import (
    IntegrationResult,
    Json,
    ResultMeta,
    ResultProvenance,
)
from butler.contract.module import ModuleContext
from butler.contract.names import ApprovalDefault, Identity
from butler.contract.speech import phrase, say
from butler.contract.tools import Reconciled, Settled, ToolCall, ToolSpec, input_tool, output_tool
from modules.telegram.address import Address
from modules.telegram.inert import flatten
from modules.telegram.lanes import Lanes
from modules.telegram.method_ids import BOT_SEND
from modules.telegram.normalise import CHANNEL
from modules.telegram.text import MESSAGE_LIMIT, shorten
from modules.telegram.tool_args import (
    GetChatMessagesArgs,
    GetUpdatesArgs,
    ReplyArgs,
    SendMessageArgs,
    preview_send,
)

_FOUND = ("count", "items.0.message_id", "items.0.chat", "items.0.sender", "items.0.at", "items.0.text")


class BotTools:
    """The tools by which the butler reads and speaks as itself."""

    def __init__(
        self,
        api: BaseIntegration,
        context: ModuleContext,
        lanes: Lanes,
        moved: Callable[[int, int], Awaitable[None]],
    ) -> None:
        self._api = api
        self._records = context.inbox.records
        self._owner = context.owner
        self._lanes = lanes
        self._moved = moved
        self._butler_name = context.butler_name

    def inputs(self) -> Sequence[ToolSpec]:
        return (
            input_tool(
                "bot_telegram_get_updates",
                "Lists the newest messages, commands and taps that reached the butler's bot.",
                GetUpdatesArgs,
                self._get_updates,
                facts=(*_FOUND, "items.0.kind"),
            ),
            input_tool(
                "bot_telegram_get_chat_messages",
                "Lists the newest messages of one of the bot's chats.",
                GetChatMessagesArgs,
                self._get_chat_messages,
                facts=_FOUND,
            ),
        )

    def outputs(self) -> Sequence[ToolSpec]:
        preview = partial(preview_send, self._butler_name)
        asks = ApprovalDefault.CONDITIONAL
        return (
            output_tool(
                "bot_telegram_send_message",
                "Sends a Telegram message from the butler's bot.",
                SendMessageArgs,
                self._send,
                preview,
                approval_default=asks,
                reconcile=_nobody_knows,
                facts=("message_id",),
            ),
            output_tool(
                "bot_telegram_reply_to_message",
                "Answers a message in one of the bot's chats.",
                ReplyArgs,
                self._send,
                preview,
                approval_default=asks,
                reconcile=_nobody_knows,
                facts=("message_id",),
            ),
        )

    async def _get_updates(self, call: ToolCall) -> IntegrationResult:
        items = await self._records.inbound(channel=CHANNEL, identity=Identity.BOT.value, limit=call.args.limit)
        return _listed(items, CHANNEL, say("nothing has reached the bot yet"))

    async def _get_chat_messages(self, call: ToolCall) -> IntegrationResult:
        args: GetChatMessagesArgs = call.args
        items = await self._records.inbound(
            channel=CHANNEL, identity=Identity.BOT.value, chat=args.chat, limit=args.limit
        )
        return _listed(items, args.chat, say("the bot has nothing from this chat"))

    async def _send(self, call: ToolCall) -> IntegrationResult:
        args: SendMessageArgs = call.args
        address = Address.parse(args.to.address)
        sending: Json = {"chat_id": address.chat_id, "thread_id": address.thread_id, "text": args.text}
        if address.chat_id == self._owner.telegram_user_id:
            # No card may have shown it, and its author speaks as the butler: nothing in it may be tappable.
            part = shorten(flatten((Span(text=args.text),)), MESSAGE_LIMIT)
            sending |= {"text": part.text, "entities": [one.model_dump(exclude_none=True) for one in part.entities]}
        if isinstance(args, ReplyArgs):
            sending["reply_to"] = args.message_id
        try:
            async with self._lanes.sending(address.chat_id):
                result = await self._api.request(
                    call.trace_id,
                    BOT_SEND,
                    sending,
                    dry_run=call.dry_run,
                    token=call.token or None,
                    progress=call.progress,
                )
        except Retryable as error:
            return failed(IntegrationErrorCode.RATE_LIMITED, error.detail)
        if result.error and result.error.retry_after_s:
            self._lanes.close(address.chat_id, result.error.retry_after_s)
        new_id = (result.data or {}).get("chat_id", address.chat_id)
        if isinstance(address.chat_id, int) and new_id != address.chat_id:
            await self._moved(address.chat_id, new_id)
        return result


async def _nobody_knows(_call: ToolCall) -> Reconciled:
    return Reconciled.with_text(
        Settled.UNKNOWN, phrase("Telegram did not answer, and a bot cannot look up whether its message was delivered.")
    )


def _listed(items: Sequence[Inbound], source_ref: str, when_empty: str) -> IntegrationResult:
    data: Json = {"count": len(items), "items": [_row(item) for item in items]}
    if not items:
        data["empty_because"] = when_empty
    meta = ResultMeta(provenance=ResultProvenance(source_type="inbox", source_ref=source_ref))
    return IntegrationResult(ok=True, data=data, meta=meta)


def _row(item: Inbound) -> Json:
    return {
        "inbound_id": item.inbound_id,
        "kind": item.kind.value,
        "chat": item.chat,
        "message_id": item.message_ref,
        "sender": item.sender,
        "sender_name": item.sender_name,
        "trust": item.origin.trust.value,
        "at": (item.sent_at or item.received_at).isoformat(timespec="seconds"),
        "text": item.text,
        "attachments": [attachment.model_dump(mode="json") for attachment in item.attachments],
    }
