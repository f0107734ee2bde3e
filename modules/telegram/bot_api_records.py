"""The arguments and answers of the Bot API's methods: the published schemas of `telegram_bot_api.*.v1`."""

from pydantic import AwareDatetime, Field

from butler.contract.card import Button
from butler.contract.records import ClosedRecord
from modules.telegram.text import Entity

Keyboard = tuple[tuple[Button, ...], ...]


class SendMessage(ClosedRecord):
    """A text to send to a chat (an id, or `@name` of a public group or channel), in a topic if `thread_id` is given."""

    chat_id: int | str
    text: str = Field(min_length=1)
    entities: tuple[Entity, ...] = ()
    buttons: Keyboard = ()
    reply_to: int | None = None
    thread_id: int | None = None


class SendDocument(ClosedRecord):
    """A stored file to send to a chat, named by its digest."""

    chat_id: int | str
    sha256: str
    name: str
    caption: str = ""
    entities: tuple[Entity, ...] = ()
    buttons: Keyboard = ()
    reply_to: int | None = None
    thread_id: int | None = None


class SendPhoto(ClosedRecord):
    """A stored picture to send to a chat as a photo, named by its digest."""

    chat_id: int | str
    sha256: str
    name: str
    reply_to: int | None = None
    thread_id: int | None = None


class SentMessage(ClosedRecord):
    """The sent message and where it went: another chat, or no topic, if the requested one no longer exists."""

    chat_id: int
    message_id: int
    thread_id: int | None = None


class EditMessage(ClosedRecord):
    """A new text and keyboard for a message of the bot."""

    chat_id: int
    message_id: int
    text: str = Field(min_length=1)
    entities: tuple[Entity, ...] = ()
    buttons: Keyboard = ()


class DeleteMessage(ClosedRecord):
    """A message to delete: the bot's own, or the owner's in a private chat."""

    chat_id: int
    message_id: int


class EditedMessage(ClosedRecord):
    """The result of an edit; `gone`: the message no longer exists, or can no longer be changed."""

    gone: bool = False


class AnswerQuery(ClosedRecord):
    """The answer that the person who tapped sees."""

    query: str
    text: str = Field(default="", max_length=200)
    alert: bool = False


class AnsweredQuery(ClosedRecord):
    """The result of an answer; `late`: the tap was too long ago to be answered."""

    late: bool = False


class ChatAction(ClosedRecord):
    """A request to show "typing" in a chat for some seconds."""

    chat_id: int
    thread_id: int | None = None


class Command(ClosedRecord):
    """A command in the menu."""

    name: str
    description: str


class SetCommands(ClosedRecord):
    """All commands of the menu."""

    commands: tuple[Command, ...]


class DownloadFile(ClosedRecord):
    """A file to download that somebody sent to the bot."""

    file_id: str


class DownloadedFile(ClosedRecord):
    """The stored file."""

    sha256: str
    size: int


class Nothing(ClosedRecord):
    """No arguments, or an answer without content."""


class BotUser(ClosedRecord):
    """The bot's own account."""

    id: int
    username: str
    name: str


class SetWebhook(ClosedRecord):
    """The address for updates from now on; the integration itself adds the secret."""

    url: str
    max_connections: int


class WebhookState(ClosedRecord):
    """The webhook's address, to which Telegram sends the updates; empty if there is none."""

    url: str
    pending: int
    """The number of undelivered updates."""
    failed_at: AwareDatetime | None
    """When the last delivery failed."""
    failed_with: str
    """Telegram's reason for the failure."""
