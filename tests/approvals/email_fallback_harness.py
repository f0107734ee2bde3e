"""An approvals harness that writes to its owner by mail, and the owner's answers."""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from approvals.reason_words import details_in_words
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.names import Identity
from butler.contract.provenance import Origin, Trust
from butler.contract.reasons import reasons_of_text
from butler.store.queries import audit, inbox
from butler.store.tables import inbox as inbox_table
from tests.approvals.harness import Harness
from tests.approvals.providers import MAIL
from tests.approvals.second_channel import SecondChannelStub

ME = "me@home.example"
ME_TOO = "me@work.example"
WAIT = timedelta(minutes=15)


def with_mail(harness: Harness) -> Harness:
    """Build a harness that can mail its owner, and that has just heard from Telegram."""
    harness.second, harness.mail_to = SecondChannelStub(), ME
    harness.owner.emails = frozenset({ME, ME_TOO})
    harness.heard = harness.clock.now()
    harness.start()
    return harness


def mails(harness: Harness) -> list[tuple[str, str, str]]:
    assert harness.second is not None
    return harness.second.mails


async def silence(harness: Harness, **turn: float) -> None:
    """Take Telegram offline for a while: no card is delivered and no message arrives."""
    harness.channel.offline = True
    for _ in range(3):
        harness.clock.turn(**(turn or {"minutes": 16}))
        await harness.run()


async def fallback(harness: Harness, tool: str = MAIL, **more: Any) -> tuple[str, str]:
    """Let an approval's email fallback go out; return the approval's id and the code."""
    harness.channel.offline = True
    approval_id = await harness.ask(tool, **more)
    while not mails(harness):
        await silence(harness)
    return approval_id, code_in(mails(harness)[-1][2])


def code_in(text: str) -> str:
    return text.rsplit("no ", 1)[1].split(maxsplit=1)[0]


def reply(harness: Harness, text: str, **more: Any) -> Inbound:
    harness.taps += 1
    values: dict[str, Any] = {
        "inbound_id": f"mail-{harness.taps}",
        "kind": InboundKind.MAIL,
        "channel": "email",
        "identity": Identity.BOT,
        "account": "butler@home.example",
        "dedup_key": f"mail-{harness.taps}",
        "chat": "mail:thread",
        "sender": f"mail:{ME}",
        "received_at": harness.clock.now(),
        "text": text,
        "origin": Origin(trust=Trust.UNTRUSTED, source="mail:1"),
        "payload": {"authority": {"command": True, "why": ["it is signed by home.example"]}, "subject": "Re: Card"},
    }
    values["payload"] |= more.pop("payload", {})
    return Inbound(**(values | more))


async def answer(harness: Harness, text: str, **more: Any) -> bool:
    """Receive a mail and do the resulting work; return whether it was taken as an answer."""
    item = reply(harness, text, **more)
    await harness.write(lambda c: inbox.add(c, item))
    taken = await harness.approvals.answer_by_mail(item)
    await harness.run()
    return taken


async def noted(harness: Harness, kind: str) -> list[audit.AuditRow]:
    return [row for row in await harness.store.read(audit.rows) if row.kind == kind]


async def last_inbox(harness: Harness) -> tuple[str, str]:
    query = sa.select(inbox_table.c.state, inbox_table.c.detail).order_by(inbox_table.c.seq.desc())
    row = await harness.store.read(lambda c: c.execute(query).first())
    assert row is not None
    return row[0], details_in_words(reasons_of_text(row[1]))
