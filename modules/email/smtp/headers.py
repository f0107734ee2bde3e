"""Writes the headers of our mails: lines that every relay accepts, and no injected headers.

The headers that decide a mail's recipients and thread are written here and passed on unchanged; only the rest is left
to the standard library.
"""

import re
from collections.abc import Sequence
from email.header import Header
from email.policy import EmailPolicy
from email.utils import formataddr

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.speech import say
from butler.contract.tools import Recipient
from modules.email.smtp.addresses import travelling

FOLD = "\r\n "
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,300}@[!-;=?-~]{1,300}>")
"""Short enough that the line with its header's name is accepted by every relay."""
_LONGEST_WORD = 70
_LONGEST_NAME = 200
_WRITTEN_BY_US = frozenset(
    {"from", "to", "cc", "bcc", "subject", "message-id", "in-reply-to", "references", "reply-to"}
)


class _MailPolicy(EmailPolicy):
    """The standard policy, except that the headers that matter stay as written here.

    It would turn a long id into an encoded word, which is then no id, and it re-quotes names in its own way.
    """

    def header_store_parse(self, name: str, value: str) -> tuple[str, str]:
        if name.lower() in _WRITTEN_BY_US:
            return name, value
        return super().header_store_parse(name, value)

    def fold(self, name: str, value: str) -> str:
        return f"{name}: {value}\r\n" if name.lower() in _WRITTEN_BY_US else super().fold(name, value)

    def fold_binary(self, name: str, value: str) -> bytes:
        # Only an address can be non-ASCII here, and such a mail is given only to servers that accept it.
        return self.fold(name, value).encode()


POLICY = _MailPolicy(linesep="\r\n", max_line_length=76, cte_type="7bit")


def is_id(known: str) -> bool:
    """Return whether this may stand in a header as a Message-ID."""
    return bool(_MESSAGE_ID.fullmatch(known))


def addressed(recipients: Sequence[Recipient]) -> list[tuple[str, str]]:
    """Return each name and plain address; raise a fault for one that no mail can hold."""
    return [(one_line(person.name, say("a recipient's name")), mail_address(person.address)) for person in recipients]


def mail_address(address: str) -> str:
    """Return a plain address with an ASCII domain from `mail:anna@friends.example`; raise a fault if it is none."""
    try:
        return travelling(address)
    except ValueError as error:
        raise refused(str(error)) from error


def people(named: Sequence[tuple[str, str]]) -> str:
    """Return the value of an address header, one person a line."""
    return f",{FOLD}".join(_person(name, address) for name, address in named)


def words(text: str, header: str) -> str:
    """Return a header's text folded, and encoded if it is not plain."""
    if not _plain(text):
        return _encoded(text, header)
    return Header(text, "us-ascii", header_name=header).encode(linesep="\r\n")


def one_line(text: str, what: str) -> str:
    """Return the text; raise a fault if it would end its line, or cannot be encoded."""
    if CONTROL.search(text):
        raise refused(say("{what} must be one line without control characters", what=what))
    return text


def refused(message: str) -> IntegrationFault:
    """Return the fault for content that no mail can hold."""
    return IntegrationFault(IntegrationErrorCode.INVALID_INPUT, message)


def _person(name: str, address: str) -> str:
    if not name.strip():
        return address
    short = _plain(name) and len(name) <= _LONGEST_NAME
    shown = formataddr((name, "a@b")).removesuffix(" <a@b>") if short else _encoded(name, "To")
    return f"{shown} <{address}>"


def _encoded(text: str, header: str) -> str:
    # Plain names are encoded, too: in a folded unquoted name, a comma or a colon would be read as syntax.
    return Header(text, "utf-8", header_name=header).encode(linesep="\r\n")


def _plain(text: str) -> bool:
    # A typed encoded word would be decoded by readers, and differ from what was shown.
    return text.isascii() and "=?" not in text and all(len(word) <= _LONGEST_WORD for word in text.split())
