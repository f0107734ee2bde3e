"""The arguments and answers of the Bot API's methods: the published schemas of `telegram_bot_api.*.v1`."""

from pydantic import AwareDatetime, Field

from butler.contract.card import Button
from butler.contract.records import ClosedRecord
from modules.telegram.text import Entity

Keyboard = tuple[tuple[Button, ...], ...]


class SendMessage(ClosedRecord):
    """A text to a chat (an id, or `@name` of a public group or channel), in a topic where `thread_id` is given."""

    chat_id: int | str
    text: str = Field(min_length=1)
    entities: tuple[Entity, ...] = ()
    buttons: Keyboard = ()
    reply_to: int | None = None
    thread_id: int | None = None


class SendDocument(ClosedRecord):
    """A stored file to a chat, named by its digest."""

    chat_id: int | str
    sha256: str
    name: str
    caption: str = ""
    entities: tuple[Entity, ...] = ()
    buttons: Keyboard = ()
    reply_to: int | None = None
    thread_id: int | None = None


class SendPhoto(ClosedRecord):
    """A stored picture to a chat, named by its digest, shown there as a photo."""

    chat_id: int | str
    sha256: str
    name: str
    reply_to: int | None = None
    thread_id: int | None = None


class SentMessage(ClosedRecord):
    """What was sent, and where it went: another chat or no topic when the asked-for one is no more."""

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
    """A message to take away: the bot's own, or the person's in a private chat."""

    chat_id: int
    message_id: int


class EditedMessage(ClosedRecord):
    """`gone`: there is no such message any more, or it can no longer be changed."""

    gone: bool = False


class AnswerQuery(ClosedRecord):
    """What the person who tapped sees."""

    query: str
    text: str = Field(default="", max_length=200)
    alert: bool = False


class AnsweredQuery(ClosedRecord):
    """`late`: the tap was too long ago, nobody waits for the answer."""

    late: bool = False


class ChatAction(ClosedRecord):
    """Show "typing" in a chat for some seconds."""

    chat_id: int
    thread_id: int | None = None


class Command(ClosedRecord):
    """A command as the menu shows it."""

    name: str
    description: str


class SetCommands(ClosedRecord):
    """The whole menu."""

    commands: tuple[Command, ...]


class DownloadFile(ClosedRecord):
    """A file that somebody sent to the bot."""

    file_id: str


class DownloadedFile(ClosedRecord):
    """Where the file is kept."""

    sha256: str
    size: int


class Nothing(ClosedRecord):
    """No arguments, or no answer besides that it was done."""


class BotUser(ClosedRecord):
    """The bot's own account."""

    id: int
    username: str
    name: str


class SetWebhook(ClosedRecord):
    """Where the updates go from now on; the secret that is shown with them is the integration's own affair."""

    url: str
    max_connections: int


class WebhookState(ClosedRecord):
    """The address that Telegram sends the updates to instead of answering polls; empty for none."""

    url: str
    pending: int
    """Updates that wait to be taken."""
    failed_at: AwareDatetime | None
    """When an update could not be delivered last."""
    failed_with: str
    """Why, in Telegram's words."""
