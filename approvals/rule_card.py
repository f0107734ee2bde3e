"""Words a standing rule: one line for a list, and a card that hides nothing of what the rule allows."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.accounts import through, without_settled
from approvals.address import plain_address, shown_address
from approvals.arguments import part_label, part_of
from approvals.context import Context
from approvals.links import shown_links
from approvals.people import Names
from approvals.recurring import recurring_words
from approvals.replay import LOOKS_BACK, Replay
from approvals.visible import visible, visible_line
from butler.contract.card import Button, Card, Rich, Span, Style, plain
from butler.contract.names import Identity, ToolName
from butler.contract.speech import phrase, say, say_clock, say_date, say_day_of_year
from butler.contract.tool_words import action_first, channel_of
from butler.store.queries import rules
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.contacts import normal
from butler.store.queries.rules import RuleRow, RuleState
from butler.tool_invoker import ToolInvoker

DRAFT_LIFE = timedelta(hours=1)
"""How long a proposal waits to be saved."""
BEGINNING = 60
"""The longest excerpt of a text in one line, in characters."""
REFUSED_SHOWN = 10
"""The most refused requests on a card; further ones are only counted."""
NEVER = phrase(
    "anybody else; other people's words, except any that stand here; who is no longer in your contacts; what your "
    "limits or deny rules forbid"
)


@dataclass(frozen=True, slots=True)
class Scope:
    """The content of a rule, argument by argument."""

    pinned: Mapping[str, Any]
    """The values that calls must match, except those that only name its recipients."""
    open: tuple[str, ...]
    """Arguments that may have any value of the owner's own."""
    bare: tuple[str, ...] = field(default=())
    """Arguments pinned to nothing: empty, or off."""


def scope_of(connection: sa.Connection, rule: RuleRow) -> Scope:
    """Compare a rule with the arguments of the call that it was made from."""
    made_from: Mapping[str, Any] = json.loads(rules.origin(connection, rule).args)
    arguments = without_settled(made_from, said=bool(rule.account))
    values = {name: json.loads(value) for name, value in sorted(rule.pinned.items())}
    naming = [name for name, value in values.items() if _only_names(value, rule.recipients)]
    if len(naming) > 1:
        naming = []  # The values show which recipient is reached in which way.
    return Scope(
        pinned={name: value for name, value in values.items() if _says_something(value) and name not in naming},
        open=tuple(name for name in sorted(arguments) if name not in values),
        bare=tuple(name for name, value in values.items() if not _says_something(value)),
    )


def rule_words(
    connection: sa.Connection, invoker: ToolInvoker, rule: RuleRow, zone: ZoneInfo, *, here: str = ""
) -> str:
    """Return in one line what a rule allows; `here` is the chat in which the line is read."""
    if rule.repeats:
        return recurring_words(invoker, rule)
    names, scope = Names(connection), scope_of(connection, rule)
    to = ", ".join(_person(address, names) for address in rule.recipients)
    parts = [
        say("{doing} to {people}", doing=_doing(invoker, rule), people=to) if to else _doing(invoker, rule),
        _where(rule, here),
        *(
            say("{part} exactly “{text}”", part=part_of(name), text=_cut(_text(value)))
            for name, value in scope.pinned.items()
        ),
        *(say("any {part} of your own", part=part_of(name)) for name in scope.open),
    ]
    return say("{what}; {until}, {times}", what=", ".join(parts), until=_until(rule, zone), times=_times(rule))


def build(
    context: Context,
    connection: sa.Connection,
    rule: RuleRow,
    found: Replay | None,
    buttons: Sequence[tuple[Button, ...]],
) -> Card:
    """Draw the card of a rule. Within a revision, only its tail and its buttons change.

    `found` is the replay of a proposal; a saved rule has none.
    """
    names, scope = Names(connection), scope_of(connection, rule)
    texts = {name: value for name, value in scope.pinned.items() if isinstance(value, str)}
    body = max(texts, key=lambda name: len(texts[name]), default="")
    never_saved = rule.state in {RuleState.DRAFT, RuleState.DROPPED}
    waits = rule.state == RuleState.DRAFT
    return Card(
        approval_id=rule.rule_id,
        revision=rule.revision,
        title=say("A standing rule, not saved yet")
        if never_saved
        else say("Standing rule {number}", number=rule.number),
        fields=(
            *_fields(context, rule, names, scope, body),
            *(_replayed(context, found) if found else ()),
            *(((part_label(body), plain(say("exactly this"))),) if body else ()),
        ),
        body=visible(texts[body]) if body else "",
        expires_at=rule.created_at + DRAFT_LIFE if waits else None,
        outcome=plain(standing_words(context, rule)),
        buttons=tuple(buttons),
    )


def standing_words(context: Context, rule: RuleRow) -> str:
    """Return the state of a rule, in words that stay true until the state changes."""
    words = _STANDS[RuleState(rule.state)]
    if rule.state == RuleState.DROPPED and rule.updated_at - rule.created_at >= DRAFT_LIFE:
        words = _NOT_SAVED
    return say(words, at=context.wall_time(rule.updated_at))


def replayed_words(found: Replay) -> str:
    """Return what a rule would have allowed in the past, and how much of that the owner refused."""
    if not found.passed:
        return say("it would have let nothing pass")
    if not found.refused:
        return say("it would have let pass {count}; you refused none of them", count=found.passed)
    refused = len(found.refused)
    return say("it would have let pass {count}; you refused {refused} of them", count=found.passed, refused=refused)


_STANDS = {
    RuleState.DRAFT: phrase("Nothing passes by it unless you tap Save rule. The card above has its own yes."),
    RuleState.DROPPED: phrase("Dropped at {at}. Nothing passes by it."),
    RuleState.ACTIVE: phrase("In force. /rules disables or revokes it."),
    RuleState.DISABLED: phrase("Disabled at {at}. Nothing passes by it until you enable it in /rules."),
    RuleState.REVOKED: phrase("Revoked at {at}. Nothing passes by it any more."),
    RuleState.EXPIRED: phrase("Its time was over at {at}. Nothing passes by it any more."),
    RuleState.USED_UP: phrase("Used up at {at}. Nothing passes by it any more."),
}
_NOT_SAVED = phrase("Not saved within an hour, so dropped at {at}. Nothing passes by it.")


def _fields(context: Context, rule: RuleRow, names: Names, scope: Scope, body: str) -> Iterator[tuple[str, Rich]]:
    proposed = rule.state in {RuleState.DRAFT, RuleState.DROPPED}
    yield say("Would pass without asking") if proposed else say("Covers"), plain(_doing(context.invoker, rule))
    yield say("To"), (*_recipients(rule, names), Span(text=say("; nobody else") if rule.recipients else say("nobody")))
    yield say("Asked for"), plain(_where(rule, rule.chat))
    for name in scope.open:
        yield part_label(name), plain(say("any, as long as the words are yours"))
    for name, value in scope.pinned.items():
        if name != body:
            yield part_label(name), (Span(text=say("exactly ")), Span(text=visible(_text(value)), style=Style.CODE))
    if lead_to := shown_links(*(value for value in scope.pinned.values() if isinstance(value, str))):
        yield say("Links"), lead_to
    if scope.bare:
        yield say("Empty or off"), plain(", ".join(map(part_of, scope.bare)))
    yield say("How long"), plain(f"{_until(rule, context.zone)}, {_times(rule)}")
    yield say("Never"), plain(say(NEVER))


def _replayed(context: Context, found: Replay) -> Iterator[tuple[str, Rich]]:
    yield say("In the last {days} days", days=LOOKS_BACK.days), plain(replayed_words(found))
    if found.refused:
        lines = [_refusal(context, row) for row in found.refused[:REFUSED_SHOWN]]
        more = len(found.refused) - REFUSED_SHOWN
        if more > 0:
            lines.append(say("and {count} more", count=more))
        yield say("You refused"), plain("\n".join(["", *lines]))


def _refusal(context: Context, row: ApprovalRow) -> str:
    """Return when a refused request was made, and how its longest text begins."""
    texts = [value for value in json.loads(row.args).values() if isinstance(value, str)]
    local = row.created_at.astimezone(context.zone)
    day = say_day_of_year(local)
    return say("{day}: “{text}”", day=day, text=_cut(max(texts, key=len, default="")))


def _recipients(rule: RuleRow, names: Names) -> Iterator[Span]:
    for number, address in enumerate(rule.recipients):
        shown, remarks = shown_address(address)
        name = names.of(address)
        yield Span(text=f"{', ' if number else ''}{visible_line(name)} (" if name else ", (" if number else "(")
        yield Span(text=shown, style=Style.CODE)
        yield Span(text=f"){f' – {remarks}' if remarks else ''}")


def _person(address: str, names: Names) -> str:
    name = names.of(address)
    return f"{visible_line(name)} ({plain_address(address)})" if name else plain_address(address)


def _doing(invoker: ToolInvoker, rule: RuleRow) -> str:
    """Return words such as `Send message (Telegram, as you, through work)`."""
    doing, channel = action_first(rule.tool), channel_of(rule.tool)
    account = through(invoker, rule.tool, rule.account)
    if ToolName.parse(rule.tool).identity is Identity.USER:
        return say("{action} ({channel}, as you{through})", action=doing, channel=channel, through=account)
    return say("{action} ({channel}, as Butler{through})", action=doing, channel=channel, through=account)


def _where(rule: RuleRow, here: str) -> str:
    return say("in this chat") if rule.chat == here else say("in chat {chat}", chat=plain_address(rule.chat))


def _until(rule: RuleRow, zone: ZoneInfo) -> str:
    if rule.expires_at is None:
        return say("without end")
    local = rule.expires_at.astimezone(zone)
    return say("until {day}, {clock}", day=say_date(local), clock=say_clock(local))


def _times(rule: RuleRow) -> str:
    if rule.max_uses is None:
        return say("as often as it is asked")
    return say("{count} times at most", count=rule.max_uses)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return visible_line(line if len(line) <= BEGINNING else f"{line[: BEGINNING - 1].rstrip()}…")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ", ".join(_leaves(value))


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for inner in value.values():  # pyright: ignore[reportUnknownVariableType] - parsed JSON
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:  # pyright: ignore[reportUnknownVariableType] - parsed JSON
            yield from _leaves(inner)
    elif isinstance(value, str):
        if value:
            yield value
    else:
        yield json.dumps(value)


def _only_names(value: Any, recipients: Sequence[str]) -> bool:
    """Return whether a value is a list of the rule's recipients, perhaps with their names."""
    addresses = {normal(leaf) for leaf in _leaves(value)} & set(recipients)
    return bool(addresses) and addresses == set(recipients)


def _says_something(value: Any) -> bool:
    return value not in ("", [], {}, None, False)
