"""The arguments and answers of the Bot API's methods: the published schemas of `telegram_bot_api.*.v1`."""

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from butler.contract.card import Button
from modules.telegram.text import Entity

Keyboard = tuple[tuple[Button, ...], ...]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SendMessage(_Record):
    """A text to a chat (an id, or `@name` of a public group or channel), in a topic where `thread_id` is given."""

    chat_id: int | str
    text: str = Field(min_length=1)
    entities: tuple[Entity, ...] = ()
    buttons: Keyboard = ()
    reply_to: int | None = None
    thread_id: int | None = None


class SendDocument(_Record):
    """A stored file to a chat, named by its digest."""

    chat_id: int | str
    sha256: str
    name: str
    caption: str = ""
    entities: tuple[Entity, ...] = ()
    buttons: Keyboard = ()
    reply_to: int | None = None
    thread_id: int | None = None


class SendPhoto(_Record):
    """A stored picture to a chat, named by its digest, shown there as a photo."""

    chat_id: int | str
    sha256: str
    name: str
    reply_to: int | None = None
    thread_id: int | None = None


class SentMessage(_Record):
    """What was sent, and where it went: another chat or no topic when the asked-for one is no more."""

    chat_id: int
    message_id: int
    thread_id: int | None = None


class EditMessage(_Record):
    """A new text and keyboard for a message of the bot."""

    chat_id: int
    message_id: int
    text: str = Field(min_length=1)
    entities: tuple[Entity, ...] = ()
    buttons: Keyboard = ()


class DeleteMessage(_Record):
    """A message to take away: the bot's own, or the person's in a private chat."""

    chat_id: int
    message_id: int


class EditedMessage(_Record):
    """`gone`: there is no such message any more, or it can no longer be changed."""

    gone: bool = False


class AnswerQuery(_Record):
    """What the person who tapped sees."""

    query: str
    text: str = Field(default="", max_length=200)
    alert: bool = False


class AnsweredQuery(_Record):
    """`late`: the tap was too long ago, nobody waits for the answer."""

    late: bool = False


class ChatAction(_Record):
    """Show "typing" in a chat for some seconds."""

    chat_id: int
    thread_id: int | None = None


class Command(_Record):
    """A command as the menu shows it."""

    name: str
    description: str


class SetCommands(_Record):
    """The whole menu."""

    commands: tuple[Command, ...]


class DownloadFile(_Record):
    """A file that somebody sent to the bot."""

    file_id: str


class DownloadedFile(_Record):
    """Where the file is kept."""

    sha256: str
    size: int


class Nothing(_Record):
    """No arguments, or no answer besides that it was done."""


class BotUser(_Record):
    """The bot's own account."""

    id: int
    username: str
    name: str


class SetWebhook(_Record):
    """Where the updates go from now on; the secret that is shown with them is the integration's own affair."""

    url: str
    max_connections: int


class WebhookState(_Record):
    """The address that Telegram sends the updates to instead of answering polls; empty for none."""

    url: str
    pending: int
    """Updates that wait to be taken."""
    failed_at: AwareDatetime | None
    """When an update could not be delivered last."""
    failed_with: str
    """Why, in Telegram's words."""
