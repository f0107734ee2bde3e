"""Arguments of unsubscribing, the role of each argument, and what a card shows of it."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field

from butler.contract.speech import say
from butler.contract.tools import Preview, ToolMetadata
from modules.email.args import Filled, Line, ReadMailArgs, UserReadArgs

Url = Annotated[str, Field(max_length=4_000, pattern=r"^[!-~]*$", json_schema_extra=Filled)]
List = Annotated[Line, Field(json_schema_extra=Filled)]
MailOfList = Annotated[Line, Field(description="A mail of the list.", examples=[{"handle": "mail-3"}])]


class BotUnsubscribeArgs(ReadMailArgs):
    """Unsubscribes from the list that a mail in the butler's mailbox came through, or one that was forwarded whole.

    `url` and `list` (the domain that signed the mail) are read from it before they are shown, and only they are used.
    """

    message_id: MailOfList
    url: Url = ""
    list: List = ""


class UserUnsubscribeArgs(UserReadArgs):
    """Unsubscribes the person from the list that a mail in one of their accounts came through.

    `url` and `list` (the domain that signed the mail) are read from it before they are shown, and only they are used.
    """

    message_id: MailOfList
    url: Url = ""
    list: List = ""


def preview_unsubscribe(args: BotUnsubscribeArgs | UserUnsubscribeArgs) -> Preview:
    """Return the card fields: the list, the server, and the full address."""
    facts = (
        (say("List"), args.list or say("whatever list the mail came through")),
        (say("Server"), _server(args.url)),
        (say("Address"), args.url),
    )
    return Preview(
        say("Unsubscribes you from a mailing list, by one request to its server"),
        facts=tuple((label, value) for label, value in facts if value),
        mails=((say("Mail"), args.message_id),),
        told=("message_id",),
    )


def _server(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:
        return ""


BOT_UNSUBSCRIBE_ROLES = ToolMetadata.of(content="list", target="message_id url")
USER_UNSUBSCRIBE_ROLES = ToolMetadata.of(content="list", target="message_id url", option="account")
