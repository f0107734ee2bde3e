"""Summarises an approval in half a line, for lists and mentions: whom it reaches, and how its text begins."""

from approvals.accounts import through
from approvals.address import plain_address
from approvals.card import shown_of
from approvals.people import Names
from approvals.visible import visible_line
from butler.contract.speech import say
from butler.contract.tools import Preview
from butler.store.queries.approvals import ApprovalRow
from butler.tool_invoker import ToolInvoker

BEGINNING = 80
"""The longest excerpt of a text in such a line, in characters."""
SHOWN = 3
"""The most recipients that such a line names; the card itself names all."""


def whom(preview: Preview, names: Names) -> str:
    """Name the recipients, such as `to Anna at telegram:1002 and 2 more`; empty if nobody is reached."""
    to = ", ".join(_recipient(recipient.address, names) for recipient in preview.recipients[:SHOWN])
    more = len(preview.recipients) - SHOWN
    if more > 0:
        return say("to {people} and {count} more", people=to, count=more)
    return say("to {people}", people=to) if to else ""


def beginning(preview: Preview, limit: int = BEGINNING) -> str:
    """Quote the beginning of the text, or else of the subject, after a colon; empty if there is neither."""
    about = next((value for _, value in preview.facts if value), "")
    text = " ".join((preview.body or preview.subject or about).split())
    cut = text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
    return say(": “{text}”", text=visible_line(cut)) if cut else ""


def described(invoker: ToolInvoker, row: ApprovalRow, names: Names) -> str:
    """Return in one line what a call does, through which account, to whom and with which words."""
    preview = shown_of(invoker, row)
    to = whom(preview, names)
    return f"{doing(invoker, row, preview)}{f' ({to})' if to else ''}{beginning(preview)}"


def doing(invoker: ToolInvoker, row: ApprovalRow, preview: Preview) -> str:
    """Return what a call does, and through which account if there are several."""
    return f"{visible_line(preview.effect)}{through(invoker, row.tool, row.account)}"


def _recipient(address: str, names: Names) -> str:
    name = names.of(address)
    shown = plain_address(address)
    return say("{name} at {address}", name=visible_line(name), address=shown) if name else shown
