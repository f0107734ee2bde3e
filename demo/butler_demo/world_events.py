"""Turns what the four stand-ins tell, each in its own records, into the one stream of events."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from butler_demo.botapi.records import Event as BotEvent
from butler_demo.botapi.records import EventKind as BotKind
from butler_demo.events import (
    Button,
    ChatChanged,
    ChatDeleted,
    ClockTurned,
    Event,
    TelegramChanged,
    Toasted,
    Typing,
)
from butler_demo.gmail.records import EventKind as GmailKind
from butler_demo.gmail.records import MailEvent as GmailEvent
from butler_demo.mailbox.records import EventKind as MailKind
from butler_demo.mailbox.records import MailEvent
from butler_demo.mails import describe_gmail, describe_stored
from butler_demo.mtproto.records import Change, Message
from butler_demo.people import BUTLER_ADDRESS, OWNER, OWNER_ID, names_of_peer

if TYPE_CHECKING:
    from butler_demo.world import World

_FOLDERS = ("INBOX", "Sent")
_REPLY_TEXT = 120
_FILES = ("document", "photo", "voice", "audio", "video")


class WorldEvents:
    """Subscribes to the stand-ins and publishes; `everything` tells how things stand for a page that comes late."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._newest_seeded = 0

    def begin(self) -> None:
        """Publish from now on; the person's messages so far count as seeded."""
        world = self._world
        self._newest_seeded = max((message.id for message in world.centre.messages(OWNER_ID)), default=0)
        world.bot_api.subscribe(self._on_bot)
        world.centre.subscribe(self._on_telegram)
        world.gmail.subscribe(self._on_gmail)
        world.mail.subscribe(self._on_mail)

    def everything(self) -> Iterator[Event]:
        """All chats and mails as events, oldest first in each, then the calls, the daemon and the clock."""
        world = self._world
        for message in world.bot_api.messages(world.bot_token, OWNER_ID):
            yield _chat(message, is_new=False)
        for message in world.centre.messages(OWNER_ID):
            yield self._telegram(message)
        for mail in reversed(world.gmail.mailbox(OWNER.email)):
            yield describe_gmail(mail)
        for folder in _FOLDERS:
            for stored in world.mail.mailbox(BUTLER_ADDRESS, folder):
                yield describe_stored(folder, stored)
        yield from world.stream.calls
        yield world.stream.daemon
        yield ClockTurned(world.clock.offset.total_seconds())

    def _on_bot(self, event: BotEvent) -> None:
        publish = self._world.stream.publish
        match event.kind:
            case BotKind.MESSAGE_NEW | BotKind.MESSAGE_EDITED if event.message is not None:
                publish(_chat(event.message, is_new=event.kind is BotKind.MESSAGE_NEW))
            case BotKind.MESSAGE_DELETED if event.message is not None:
                publish(ChatDeleted(event.chat_id, event.message["message_id"]))
            case BotKind.CHAT_ACTION:
                publish(Typing(event.chat_id))
            case BotKind.CALLBACK_ANSWERED if event.callback is not None:
                pressed = event.callback
                publish(Toasted(pressed.user_id, pressed.message_id, pressed.text or "", pressed.show_alert))
            case _:
                pass  # reactions are not shown

    def _on_telegram(self, change: Change) -> None:
        if change.message.owner_id == OWNER_ID:
            self._world.stream.publish(self._telegram(change.message))

    def _on_gmail(self, event: GmailEvent) -> None:
        self._world.stream.publish(describe_gmail(event.message, gone=event.kind is GmailKind.DELETED))

    def _on_mail(self, event: MailEvent) -> None:
        if event.sent is not None:
            self._world.calls.on_submission(event.sent)
        elif event.mail is not None and event.folder in _FOLDERS:
            gone = event.kind is MailKind.EXPUNGED
            self._world.stream.publish(describe_stored(event.folder, event.mail, gone=gone))

    def _telegram(self, message: Message) -> TelegramChanged:
        return TelegramChanged(
            message_id=message.id,
            peer_id=message.peer_id,
            peer=names_of_peer(message.peer_id)[0],
            text=message.text,
            outgoing=message.outgoing,
            at=message.date,
            deleted=message.deleted,
            seeded=message.id <= self._newest_seeded,
        )


def _chat(message: dict[str, Any], *, is_new: bool) -> ChatChanged:
    replied: dict[str, Any] = message.get("reply_to_message", {})
    name, size = _file(message)
    keyboard: list[list[dict[str, Any]]] = message.get("reply_markup", {}).get("inline_keyboard", [])
    return ChatChanged(
        chat_id=message["chat"]["id"],
        message_id=message["message_id"],
        by_bot=message["from"]["is_bot"],
        text=message.get("text", message.get("caption", "")),
        entities=tuple(message.get("entities", message.get("caption_entities", ()))),
        buttons=tuple(tuple(_button(button) for button in row) for row in keyboard),
        at=datetime.fromtimestamp(message["date"], tz=UTC),
        edited="edit_date" in message,
        reply_to=replied.get("message_id"),
        reply_text=replied.get("text", replied.get("caption", ""))[:_REPLY_TEXT],
        file=name,
        file_size=size,
        is_new=is_new,
        picture=_picture(message),
    )


def _button(button: dict[str, Any]) -> Button:
    return Button(button["text"], button.get("callback_data"), button.get("url"))


def _picture(message: dict[str, Any]) -> str:
    return message["photo"][-1]["file_id"] if "photo" in message else ""


def _file(message: dict[str, Any]) -> tuple[str, int]:
    for kind in _FILES:
        if kind in message:
            file = message[kind][-1] if kind == "photo" else message[kind]
            return file.get("file_name", kind), file.get("file_size", 0)
    return "", 0
