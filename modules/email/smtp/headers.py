"""Writes the headers of our mails: lines that every relay takes, and nothing smuggled in.

What matters for whom a mail goes to and where it belongs is written here, and passed on as it is; only the rest is
left to the standard library.
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
"""Short enough that a line with it and its header's name is one that every relay takes."""
_LONGEST_WORD = 70
_LONGEST_NAME = 200
_WRITTEN_BY_US = frozenset(
    {"from", "to", "cc", "bcc", "subject", "message-id", "in-reply-to", "references", "reply-to"}
)


class _MailPolicy(EmailPolicy):
    """The standard policy, which leaves the headers that matter as they were written here.

    It would make an encoded word of a long id, which is then no id, and it re-quotes names in ways of its own.
    """

    def header_store_parse(self, name: str, value: str) -> tuple[str, str]:
        if name.lower() in _WRITTEN_BY_US:
            return name, value
        return super().header_store_parse(name, value)

    def fold(self, name: str, value: str) -> str:
        return f"{name}: {value}\r\n" if name.lower() in _WRITTEN_BY_US else super().fold(name, value)

    def fold_binary(self, name: str, value: str) -> bytes:
        # Only an address can hold more than ASCII here, and such a mail is handed to nobody who does not take it.
        return self.fold(name, value).encode()


POLICY = _MailPolicy(linesep="\r\n", max_line_length=76, cte_type="7bit")


def is_id(known: str) -> bool:
    """Whether this may stand in a header as a Message-ID."""
    return bool(_MESSAGE_ID.fullmatch(known))


def addressed(recipients: Sequence[Recipient]) -> list[tuple[str, str]]:
    """The name and the plain address of each; a fault for what can be in no mail."""
    return [(one_line(person.name, say("a recipient's name")), mail_address(person.address)) for person in recipients]


def mail_address(address: str) -> str:
    """A plain address with its domain in ASCII from `mail:anna@friends.example`; a fault when it is none."""
    try:
        return travelling(address)
    except ValueError as error:
        raise refused(str(error)) from error


def people(named: Sequence[tuple[str, str]]) -> str:
    """An address header's value, one person a line."""
    return f",{FOLD}".join(_person(name, address) for name, address in named)


def words(text: str, header: str) -> str:
    """A header's text as it travels: folded, and encoded where it is not plain."""
    if not _plain(text):
        return _encoded(text, header)
    return Header(text, "us-ascii", header_name=header).encode(linesep="\r\n")


def one_line(text: str, what: str) -> str:
    """The text itself; a fault where it would end its line, or cannot be encoded."""
    if CONTROL.search(text):
        raise refused(say("{what} must be one line without control characters", what=what))
    return text


def refused(message: str) -> IntegrationFault:
    """Nothing that can be in a mail."""
    return IntegrationFault(IntegrationErrorCode.INVALID_INPUT, message)


def _person(name: str, address: str) -> str:
    if not name.strip():
        return address
    short = _plain(name) and len(name) <= _LONGEST_NAME
    shown = formataddr((name, "a@b")).removesuffix(" <a@b>") if short else _encoded(name, "To")
    return f"{shown} <{address}>"


def _encoded(text: str, header: str) -> str:
    # Also what is plain: in a folded name that nothing quotes, a comma or a colon would be read as syntax.
    return Header(text, "utf-8", header_name=header).encode(linesep="\r\n")


def _plain(text: str) -> bool:
    # An encoded word that somebody typed would be read as what it stands for, not as what was shown.
    return text.isascii() and "=?" not in text and all(len(word) <= _LONGEST_WORD for word in text.split())
