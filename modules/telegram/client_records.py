"""What goes into and comes out of the client's methods: the published schemas of `telegram_client.*.v1`."""

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SendAsUser(_Record):
    """A text to a person or chat: a numeric id that the account knows, or `@name`."""

    to: int | str
    text: str = Field(min_length=1)


class SentAsUser(_Record):
    """`repeated`: Telegram had this very message already, from an earlier try."""

    message_id: int | None
    repeated: bool = False


class ListMessages(_Record):
    """The newest messages of a conversation."""

    chat: int | str
    limit: int = Field(ge=1, le=200)


class ClientMessage(_Record):
    """A message as the account sees it; `outgoing` ones are the person's own."""

    message_id: int
    sender: str
    outgoing: bool
    at: AwareDatetime
    text: str


class ClientMessages(_Record):
    """Newest first."""

    count: int
    items: tuple[ClientMessage, ...]


class ListDialogs(_Record):
    """The newest conversations."""

    limit: int = Field(ge=1, le=100)


class Dialog(_Record):
    """A conversation of the account; `id` is its address, `telegram:<id>`."""

    id: str
    name: str
    unread: int
    at: AwareDatetime | None
    last_text: str


class Dialogs(_Record):
    """Newest first."""

    count: int
    items: tuple[Dialog, ...]


class Nothing(_Record):
    """No arguments."""


class Contact(_Record):
    """A person in the account's address book, under the name that the owner gave them."""

    user_id: int
    name: str
    username: str = ""


class Contacts(_Record):
    """The address book."""

    items: tuple[Contact, ...]


class Me(_Record):
    """The account itself."""

    user_id: int
    name: str
    username: str = ""
