"""Tells by headers and form how a mail came to be, and what the mail at issue is about."""

from modules.email.parsed import Invoice, ParsedMail


def kind_of(mail: ParsedMail) -> str:
    """The `MailKind` of a mail."""
    if mail.forwarded is not None:
        return "forward"
    if mail.quotes or mail.in_reply_to:
        return "reply"
    return "personal"


def topics_of(mail: ParsedMail) -> tuple[tuple[str, ...], Invoice | None]:
    """The `Topic`s of the mail at issue, the forwarded one or else the mail itself; and the facts of an invoice."""
    if mail.event is not None:
        return ("invite",), None
    return (), None
