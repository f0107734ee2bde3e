"""The owner's channel on Telegram: sends messages and cards as text with entities, in order and within the limits.

Delivery is at least once: whoever stores a message sends it again if the call failed without an answer.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from butler.contract.card import Button, Card, MessageRef, OwnerMessage, Span, rich_text
from butler.contract.errors import Bug, ChatClosedError, IntegrationErrorCode, Refuse, Retryable
from butler.contract.integration import IntegrationCall, IntegrationError, IntegrationResult, Json
from butler.contract.module import ModuleContext
from butler.contract.speech import say
from butler.contract.tools import Attachment
from butler.contract.visible import visible_line
from modules.telegram.address import Address
from modules.telegram.drawing import check_buttons, draw_card
from modules.telegram.inert import apart, flatten
from modules.telegram.integration_telegram_bot_api import TelegramBotApi
from modules.telegram.lanes import Lanes
from modules.telegram.method_ids import (
    BOT_ACTION,
    BOT_ANSWER,
    BOT_DELETE,
    BOT_EDIT,
    BOT_SEND,
    BOT_SEND_DOCUMENT,
    BOT_SEND_PHOTO,
    BOT_SET_COMMANDS,
)
from modules.telegram.text import CAPTION_LIMIT, MESSAGE_LIMIT, Part, split, utf16_len

LARGEST_UPLOAD, LARGEST_PHOTO = 50_000_000, 10_000_000
PICTURES = frozenset({"image/jpeg", "image/png"})
"""Media types that a chat can show as a photo."""
CUT = " …"
"""Below the beginning of a text that has no room in the messages that are there."""
SEND_TIMEOUT_MS = 30_000
UPLOAD_TIMEOUT_MS = 180_000
_NEVER = frozenset(
    {
        IntegrationErrorCode.NOT_FOUND,
        IntegrationErrorCode.REJECTED,
        IntegrationErrorCode.INVALID_INPUT,
        IntegrationErrorCode.INVALID_OUTPUT,
    }
)

Buttons = Sequence[Sequence[Button]]


class TelegramOwnerChannel:
    """Implements `OwnerChannel` by the bot's chat with the owner."""

    def __init__(
        self, api: TelegramBotApi, context: ModuleContext, lanes: Lanes, moved: Callable[[int, int], Awaitable[None]]
    ) -> None:
        self._api = api
        self._context = context
        self._lanes = lanes
        self._moved = moved

    def home(self) -> str | None:
        owner = self._context.owner.telegram_user_id
        return None if owner is None else f"telegram:{owner}"

    async def say(self, chat: str, message: OwnerMessage) -> MessageRef:
        check_buttons(message.buttons)
        text = message.text
        photos = [file for file in message.attachments if file.media_type in PICTURES and file.size <= LARGEST_PHOTO]
        files = [file for file in message.attachments if file.size <= LARGEST_UPLOAD and file not in photos]
        too_large = [file for file in message.attachments if file.size > LARGEST_UPLOAD]
        if too_large:
            names = ", ".join(file.name for file in too_large)
            left_out = say("Too large for Telegram, so not attached: {names}", names=names)
            text = (*text, Span(text=f"\n\n{left_out}" if rich_text(text).strip() else left_out))
        parts = _sendable(apart(split(flatten(text), first=CAPTION_LIMIT if files else MESSAGE_LIMIT)))
        if not parts and not files and not photos:
            raise Refuse(say("there is nothing to say"))
        return await self._send(
            Address.parse(chat), files, parts, message.buttons, _number(message.reply_to), photos=photos
        )

    async def show(self, chat: str, card: Card, reply_to: str | None = None) -> MessageRef:
        check_buttons(card.buttons)
        drawing = draw_card(card, self._context.zone)
        files = [file for file in card.attachments if file.size <= LARGEST_UPLOAD]
        if drawing.file:
            content = drawing.file.text.encode()
            digest = await self._context.storage.blobs.put(content)
            files.append(Attachment(name=drawing.file.name, size=len(content), sha256=digest, media_type="text/plain"))
        return await self._send(
            Address.parse(chat), files, drawing.pages, card.buttons, _number(reply_to), with_caption=False
        )

    async def edit(self, ref: MessageRef, card: Card) -> None:
        check_buttons(card.buttons)
        page = draw_card(card, self._context.zone).pages[-1]
        await self._edit(Address.parse(ref.chat), int(ref.message_ids[-1]), page, card.buttons)

    async def redraw(self, ref: MessageRef, message: OwnerMessage) -> None:
        check_buttons(message.buttons)
        address = Address.parse(ref.chat)
        self._refuse_strangers(address)
        parts = _within(apart(split(flatten(message.text), first=MESSAGE_LIMIT - len(CUT))), len(ref.message_ids))
        buttons = message.buttons
        for message_id, part in zip(reversed(ref.message_ids), reversed(parts), strict=False):
            await self._edit(address, int(message_id), part, buttons)
            buttons = ()

    def pages(self, card: Card) -> int:
        drawing = draw_card(card, self._context.zone)
        return len(drawing.pages) + (drawing.file is not None) + len(card.attachments)

    async def delete(self, ref: MessageRef) -> bool:
        address = Address.parse(ref.chat)
        deleted = True
        for message_id in ref.message_ids:
            args: Json = {"chat_id": address.chat_id, "message_id": int(message_id)}
            answer = await self._done(address, BOT_DELETE, args)
            deleted &= not answer["gone"]
        return deleted

    async def answer(self, query: str, text: str = "", *, alert: bool = False) -> None:
        text = visible_line(text)
        shortened = text if len(text) <= 200 else text[:199] + "…"  # noqa: PLR2004 - Telegram's limit
        call = _call(BOT_ANSWER, {"query": query, "text": shortened, "alert": alert}, SEND_TIMEOUT_MS)
        _checked(await self._api.call(call))

    async def typing(self, chat: str) -> None:
        address = Address.parse(chat)
        if self._lanes.is_closed(address.chat_id):
            return
        await self._api.call(_call(BOT_ACTION, {"chat_id": address.chat_id, "thread_id": address.thread_id}, 5_000))

    async def commands(self, commands: Sequence[tuple[str, str]]) -> None:
        listed = [{"name": name, "description": description} for name, description in commands]
        _checked(await self._api.call(_call(BOT_SET_COMMANDS, {"commands": listed}, SEND_TIMEOUT_MS)))

    async def _edit(self, address: Address, message_id: int, part: Part, buttons: Buttons) -> None:
        args: Json = {"chat_id": address.chat_id, "message_id": message_id, **_text(part), **_buttons(buttons)}
        async with self._lanes.editing(address.chat_id, message_id) as newest:
            if newest:
                await self._done(address, BOT_EDIT, args)

    async def _send(
        self,
        address: Address,
        files: Sequence[Attachment],
        parts: Sequence[Part],
        buttons: Buttons,
        reply_to: int | None,
        *,
        with_caption: bool = True,
        photos: Sequence[Attachment] = (),
    ) -> MessageRef:
        """Send files first, the last with the first part as its caption; the buttons belong to the last message.

        Photos come after everything else. The last message id is that of the message that can be redrawn.
        """
        self._refuse_strangers(address)
        texts = list(parts)
        steps: list[tuple[str, Json]] = []
        for number, file in enumerate(files, 1):
            args: Json = {"sha256": file.sha256, "name": visible_line(file.name)}
            if with_caption and number == len(files) and texts:
                caption = texts.pop(0)
                args |= {"caption": caption.text, "entities": _entities(caption)}
            steps.append((BOT_SEND_DOCUMENT, args))
        steps += [(BOT_SEND, _text(part)) for part in texts]
        if steps:
            steps[-1][1].update(_buttons(buttons))
        steps += [(BOT_SEND_PHOTO, {"sha256": file.sha256, "name": visible_line(file.name)}) for file in photos]
        steps[0][1]["reply_to"] = reply_to
        message_ids: list[str] = []
        async with self._lanes.sending(address.chat_id):
            for method_id, args in steps:
                args |= {"chat_id": address.chat_id, "thread_id": address.thread_id}
                sent = await self._sent(address, method_id, args)
                message_ids.append(str(sent["message_id"]))
                address = await self._followed(address, sent)
        texts_end = len(message_ids) - len(photos)
        return MessageRef(chat=str(address), message_ids=(*message_ids[texts_end:], *message_ids[:texts_end]))

    async def _sent(self, address: Address, method_id: str, args: Json) -> Json:
        try:
            return await self._done(address, method_id, args)
        except ChatClosedError:
            raise
        except Refuse:
            if method_id != BOT_SEND_PHOTO:
                raise
            # Telegram still takes as a file what it cannot show as a photo, such as a picture with extreme proportions.
            return await self._done(address, BOT_SEND_DOCUMENT, args)

    def _refuse_strangers(self, address: Address) -> None:
        """Raise if a private chat is not the owner's, such as that of a former owner."""
        private = isinstance(address.chat_id, int) and address.chat_id > 0
        if private and address.chat_id != self._context.owner.telegram_user_id:
            raise ChatClosedError(say("this private chat is not the owner's"))

    async def _done(self, address: Address, method_id: str, args: Json) -> Json:
        """Make the call for the chat whose turn it is; wait if Telegram demands a short wait."""
        timeout_ms = UPLOAD_TIMEOUT_MS if method_id in {BOT_SEND_DOCUMENT, BOT_SEND_PHOTO} else SEND_TIMEOUT_MS
        while True:
            result = await self._api.call(_call(method_id, args, timeout_ms))
            if result.error is None or result.error.code is not IntegrationErrorCode.RATE_LIMITED:
                return _checked(result)
            self._lanes.close(address.chat_id, result.error.retry_after_s or 1.0)
            await self._lanes.reopened(address.chat_id)

    async def _followed(self, address: Address, sent: Json) -> Address:
        """Return where the message went: the group may have a new id, or no topics any more."""
        if isinstance(address.chat_id, int) and sent["chat_id"] != address.chat_id:
            await self._moved(address.chat_id, sent["chat_id"])
        return Address(sent["chat_id"], sent["thread_id"])


def _call(method_id: str, args: Json, timeout_ms: int) -> IntegrationCall:
    return IntegrationCall(trace_id="owner_channel", method_id=method_id, args=args, timeout_ms=timeout_ms)


def _checked(result: IntegrationResult) -> Json:
    if result.data is not None:
        return result.data
    assert result.error is not None
    raise failure(result.error)


def failure(error: IntegrationError) -> Refuse | Retryable | Bug:
    """Return the error to raise for a failed send."""
    if error.code is IntegrationErrorCode.FORBIDDEN:
        return ChatClosedError(error.message)
    if error.code is IntegrationErrorCode.INTERNAL:
        # It may have been sent, and a retry will not help: a few attempts, not one a minute for ever.
        return Bug(error.message)
    return Refuse(error.message) if error.code in _NEVER else Retryable(error.message)


def _sendable(parts: list[Part]) -> list[Part]:
    # Telegram refuses a blank message.
    return [part for part in parts if part.text.strip()]


def _within(parts: list[Part], most: int) -> list[Part]:
    """Return the beginning of a text for which there are too few messages to redraw, marked as cut; else all of it."""
    parts = _sendable(parts)
    if len(parts) <= most:
        return parts
    last = parts[most - 1]
    room = utf16_len(last.text) + len(CUT) <= MESSAGE_LIMIT
    return [*parts[: most - 1], replace(last, text=last.text + CUT) if room else last]


def _text(part: Part) -> Json:
    return {"text": part.text, "entities": _entities(part)}


def _entities(part: Part) -> list[Json]:
    return [entity.model_dump(exclude_none=True) for entity in part.entities]


def _buttons(buttons: Buttons) -> Json:
    return {"buttons": [[_button(button) for button in row] for row in buttons]} if buttons else {}


def _button(button: Button) -> Json:
    return {"label": visible_line(button.label), "data": button.data}


def _number(message_ref: str | None) -> int | None:
    return int(message_ref) if message_ref and message_ref.isdecimal() else None
