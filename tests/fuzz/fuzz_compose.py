"""Fuzzes the writing of a mail: whatever its fields hold, it has our headers once each, and goes to nobody else."""

import re
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import SMTPUTF8

from butler.contract.errors import IntegrationFault
from butler.contract.tools import Attachment, Recipient
from modules.email.smtp import addresses as compose_addresses
from modules.email.smtp import compose
from modules.email.smtp import headers as compose_headers
from modules.email.smtp import html as compose_html
from tests.fuzz.harness import run

WATCHED = (compose, compose_addresses, compose_headers, compose_html)
FIELDS = 8
_NOW = datetime(2026, 11, 27, 10, tzinfo=UTC)
_OURS = {
    *("from", "to", "subject", "date", "message-id", "references", "in-reply-to", "auto-submitted", "x-butler"),
    *("x-butler-call", "mime-version", "content-type", "content-transfer-encoding"),
}
_LONGEST_LINE = 998


def target(data: bytes) -> None:
    """Write a mail of these fields, a line feed and a full stop between them, and hold what must hold of any."""
    fields = data.decode("utf-8", "replace").split("\n.", FIELDS - 1)
    name, subject, own_name, file, answered, earlier, theirs, body = fields + [""] * (FIELDS - len(fields))
    draft = compose.Draft(
        sender="butler@home.example",
        sender_name=own_name,
        token="4611686018427387904",
        date=_NOW,
        to=(Recipient(address="mail:anna@friends.example", name=name),),
        subject=subject,
        body=body,
        attachments=((Attachment(name=file, size=1, sha256="0" * 64, media_type="text/x-y"), b"x"),) if file else (),
        html=True,
        parent=compose.Parent(answered, earlier, tuple(earlier.split(" ")), theirs) if answered or theirs else None,
        automatic=True,
    )
    try:
        outgoing = compose.compose(draft)
    except IntegrationFault:
        assert any(compose_headers.CONTROL.search(field) for field in (name, subject, own_name, file)), "refused"
        return
    assert outgoing.recipients == ("anna@friends.example",)
    wire = outgoing.wire
    assert not re.search(rb"\r(?!\n)|(?<!\r)\n|\0", wire), "what no relay takes"
    assert max(map(len, wire.split(b"\r\n"))) <= _LONGEST_LINE
    mail = message_from_bytes(wire, policy=SMTPUTF8)
    names = [header.lower() for header in mail]
    assert set(names) <= _OURS, "a header that is none of ours"
    assert len(set(names)) == len(names)
    assert [one.addr_spec for one in mail["To"].addresses] == ["anna@friends.example"]


def starts() -> list[bytes]:
    """Fields to begin with."""
    texts = (
        ("Anna", "Lunch", "Jeeves", "bill.pdf", "<a@b.example>", "<c@d.example> <e@f.example>", "Re: Lunch", "At one."),
        ('A"nn\\a, <x@y>', "=?utf-8?q?x?=", "Jörg", "é;.pdf", "<a@b>\r\n X: y", "<c", "a\r\nBcc: x@y", ".\r\n..\n> x"),
    )
    return ["\n.".join(fields).encode() for fields in texts]


if __name__ == "__main__":
    run(target, [module.__name__ for module in WATCHED], starts())
