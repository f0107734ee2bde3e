"""Arguments of unsubscribing, the role of each argument, and what a card shows of it."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field

from butler.contract.speech import say
from butler.contract.tools import Preview, ToolMetadata
from modules.email.args import Line, ReadMailArgs, UserReadArgs

Url = Annotated[str, Field(max_length=4_000, pattern=r"^[!-~]*$")]


class BotUnsubscribeArgs(ReadMailArgs):
    """Unsubscribes from the list that a mail in the butler's mailbox came through, or one that was forwarded whole.

    `url` and `list` (the domain that signed the mail) are read from it before they are shown, and only they are used.
    """

    url: Url = ""
    list: Line = ""


class UserUnsubscribeArgs(UserReadArgs):
    """Unsubscribes the person from the list that a mail in one of their accounts came through.

    `url` and `list` (the domain that signed the mail) are read from it before they are shown, and only they are used.
    """

    url: Url = ""
    list: Line = ""


def preview_unsubscribe(args: BotUnsubscribeArgs | UserUnsubscribeArgs) -> Preview:
    """Return the card fields: the list, the server, and the full address."""
    facts = (
        (say("List"), args.list or say("whatever list the mail came through")),
        (say("Server"), _server(args.url)),
        (say("Address"), args.url),
        (say("Mail"), args.message_id),
    )
    return Preview(
        say("Unsubscribes you from a mailing list, by one request to its server"),
        facts=tuple((label, value) for label, value in facts if value),
    )


def _server(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:
        return ""


BOT_UNSUBSCRIBE_ROLES = ToolMetadata.of(content="list", target="message_id url")
USER_UNSUBSCRIBE_ROLES = ToolMetadata.of(content="list", target="message_id url", option="account")
