"""Reads mail servers' reports about mails that Butler sent: which did not arrive, at which address, and why.

A mail's Message-ID holds the token of its stored attempt, so a report leads to the approval. Anybody can write a
report, so it is shown as a report, and nothing else is done about it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from approvals.people import Names
from approvals.summary_lines import described
from butler.contract.card import OwnerMessage, Rich, Span, Style
from butler.contract.inbound import Inbound
from butler.contract.mail import ReportFacts
from butler.contract.names import Identity
from butler.contract.speech import phrase, say
from butler.orchestrator.replies.mail_parts import facts_of, short
from butler.store.queries import approvals, audit, outbox
from butler.tool_invoker import ToolInvoker

FAILED, DELAYED = "failed", "delayed"
OURS = {Identity.BOT: "bot_email_", Identity.USER: "user_email_"}
"""Prefixes of the tools whose mails bounce to the butler's mailbox, and to the owner's."""
_ARRIVED_NOT = {
    Identity.BOT: phrase("📭 My mail to {to} did not arrive: {why}."),
    Identity.USER: phrase("📭 Your mail to {to} did not arrive: {why}."),
}
_ON_ITS_WAY = {
    Identity.BOT: phrase("⏳ My mail to {to} is still on its way: {why}. The mail server goes on trying."),
    Identity.USER: phrase("⏳ Your mail to {to} is still on its way: {why}. The mail server goes on trying."),
}
_OTHERS_ARRIVED_NOT = {
    Identity.BOT: phrase(
        "📭 A mail of mine that somebody passed on to {to} did not arrive: {why}. I did not write to this address; "
        "whoever has that mail can write such a report."
    ),
    Identity.USER: phrase(
        "📭 A mail of yours that somebody passed on to {to} did not arrive: {why}. You did not write to this address; "
        "whoever has that mail can write such a report."
    ),
}
_OTHERS_ON_ITS_WAY = {
    Identity.BOT: phrase(
        "⏳ A mail of mine that somebody passed on to {to} is still on its way: {why}. The mail server goes on trying. "
        "I did not write to this address; whoever has that mail can write such a report."
    ),
    Identity.USER: phrase(
        "⏳ A mail of yours that somebody passed on to {to} is still on its way: {why}. The mail server goes on "
        "trying. You did not write to this address; whoever has that mail can write such a report."
    ),
}
REASON = 300
ADDRESS = 100


@dataclass(frozen=True, slots=True)
class _Reported:
    """A report about a mail that Butler sent."""

    report: ReportFacts
    approval_id: str
    what: str
    """The mail, in one line."""
    known: bool
    """Whether the mail went to the recipient that the report names, or its recipients are unknown."""


def tell_reports(connection: sa.Connection, item: Inbound, home: str, tools: ToolInvoker, now: datetime) -> bool:
    """Report and audit what a mail says of mails sent from its mailbox; return False if it reports on none."""
    found = [one for report in facts_of(item).reports if (one := _ours(connection, report, item, tools))]
    for one in found:
        kind = {FAILED: "mail.bounced", DELAYED: "mail.delayed"}.get(one.report.action)
        if kind is None:
            # Delivered, as expected.
            continue
        # All named recipients that the mail was not sent to are reported only once.
        whom = one.report.recipient.lower() if one.known else "others"
        key = f"report:{one.approval_id}:{one.report.action}:{whom}"
        message = OwnerMessage(text=_report_text(one, item.identity))
        if outbox.add(connection, home, message, now=now, dedup_key=key) is not None:
            data = {"recipient": one.report.recipient, "status": one.report.status, "inbound_id": item.inbound_id}
            audit.append(connection, kind, one.approval_id, "mail server", data, now)
    return bool(found)


def _ours(connection: sa.Connection, report: ReportFacts, item: Inbound, tools: ToolInvoker) -> _Reported | None:
    token, _, domain = report.message_id.strip("<>").partition("@")
    if item.identity is Identity.USER:
        # The owner's provider may give a mail another Message-ID, which then comes back.
        token = report.mark or token
    elif domain.lower() != item.account.rpartition("@")[2].lower():
        return None
    row = approvals.by_token(connection, token) if token else None
    if row is None or not row.tool.startswith(OURS[item.identity]):
        return None
    to = {one.removeprefix("mail:").lower() for one in row.recipients}
    known = not to or report.recipient.lower() in to
    return _Reported(report, row.approval_id, described(tools, row, Names(connection)), known)


def _report_text(one: _Reported, sent_as: Identity) -> Rich:
    report = one.report
    if report.action == DELAYED:
        data = _ON_ITS_WAY if one.known else _OTHERS_ON_ITS_WAY
    else:
        data = _ARRIVED_NOT if one.known else _OTHERS_ARRIVED_NOT
    text = say(data[sent_as], to=short(report.recipient, ADDRESS), why=_reason((report.diagnostic, report.status)))
    return Span(text=text.replace("..", ".")), Span(text=f"\n{one.what}", style=Style.ITALIC)


def _reason(said: Sequence[str]) -> str:
    given = (short(text, REASON).rstrip(".") for text in said if text.strip())
    return next(given, say("the mail server does not say why"))
