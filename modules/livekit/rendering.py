"""Renders a call for the owner: their own link first, then one for each guest, with a button that sends it.

A link lets in whoever has it (decision 27), so it appears only as the address behind words: no text that is logged,
remembered or shown to a model contains it. A tap on a button creates a new link and sends that.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from butler.contract.agents import PlanStep
from butler.contract.card import Span, Style
from butler.contract.found_items import time_of
from butler.contract.names import Direction
from butler.contract.rendering import Offer, Person, PlanContext, Rendered, StepResult
from butler.contract.shown_text import clock
from butler.contract.speech import phrase, say
from butler.contract.visible import visible_line

CHANNEL, CREATE, JOIN = "livekit", "create_room", "join_room"
JOIN_ROOM = "bot_livekit_join_room"
WAYS = (("user_telegram_send_message", "telegram"), ("user_email_send_message", "mail"))
"""The tools that can send a link to somebody, in the order of preference, each with its kind of address."""
ONLY_YOURS = phrase("Whoever has a link can join by it, so pass each on to its person only.")
MOST = 20


@dataclass(frozen=True, slots=True)
class Link:
    """A link that lets one person in."""

    name: str
    room: str
    address: str
    expires_at: datetime | None
    contact: Person | None


def about_calls(shown: Sequence[StepResult], context: PlanContext) -> Rendered | None:
    """Return the answer to a plan that made links to a call; None without links: failures are reported as usual.

    The answer is empty if there is nothing to show: a link was sent on, or skipped because its room did not open.
    """
    sent_on = {number for one in shown if _sends(one) for number in one.step.depends_on}
    joins = [one for one in shown if _is(one, JOIN)]
    untold = [one for one in joins if (one.step.step_id in sent_on and one.ok) or one.outcome.get("code") == "SKIPPED"]
    made = [one for one in joins if one.ok and one not in untold]
    links = [link for one in made if (link := _link(one, context.people)) is not None]
    if not links:
        steps = frozenset(one.step.step_id for one in untold)
        return Rendered((), steps=steps) if steps else None
    own = next((link for link in links if link.contact is None), None)
    others = [link for link in links if link is not own][:MOST]
    spans: list[Span] = [Span(text=say("📞 The room is open."), style=Style.BOLD)]
    if own is not None:
        spans += [Span(text="\n"), Span(text=say("Join the call"), style=Style.LINK, url=own.address)]
    for link in others:
        text = say("Link for {name}", name=_shown(link.name))
        spans += [Span(text="\n"), Span(text=text, style=Style.LINK, url=link.address)]
    ends = min((link.expires_at for link in links if link.expires_at is not None), default=None)
    if ends is not None:
        until = say("The links hold until {when}.", when=clock(ends.astimezone(context.zone), context.now))
        spans.append(Span(text=f"\n{until} {say(ONLY_YOURS)}"))
    offers = tuple(offer for link in others if (offer := _offer(link, context.tools)) is not None)
    opened = (one.step.step_id for one in shown if _is(one, CREATE) and one.ok)
    steps = frozenset((*opened, *(one.step.step_id for one in (*made, *untold))))
    return Rendered(tuple(spans), f"Opened a call and showed {len(links)} links to it.", offers, steps=steps)


def _is(one: StepResult, action: str) -> bool:
    return one.spec.channel == CHANNEL and one.action == action


def _sends(one: StepResult) -> bool:
    return one.spec.direction is Direction.OUTPUT and one.spec.channel != CHANNEL


def _link(one: StepResult, people: Iterable[Person]) -> Link | None:
    data: Mapping[str, Any] = one.data
    name, room, address = (str(data.get(key) or "") for key in ("name", "room", "link"))
    if not address.startswith(("https://", "http://")):
        return None
    named = [person for person in people if person.name.casefold() == name.casefold()]
    return Link(name, room, address, time_of(data.get("expires_at")), named[0] if len(named) == 1 else None)


def _offer(link: Link, tools: Collection[str]) -> Offer | None:
    """Return a button that makes a new link and sends it in the owner's name, after approval; None if no tool can."""
    if link.contact is None or JOIN_ROOM not in tools:
        return None
    for tool, kind in WAYS:
        if tool in tools and any(one.startswith(f"{kind}:") for one in link.contact.addresses):
            steps = (_anew(link), _send(tool, link.contact))
            return Offer(say("Send {name} the link", name=_shown(link.name)), steps=steps, labels=frozenset())
    return None


def _anew(link: Link) -> PlanStep:
    what = say("Make {name}'s link to the call", name=link.name)
    return PlanStep(step_id=1, description=what, tool_call=JOIN_ROOM, args={"room": link.room, "name": link.name})


def _send(tool: str, contact: Person) -> PlanStep:
    text, to = {"step": 1, "fact": "invitation"}, {"contact": contact.contact_id}
    what = say("Send {name} the link", name=contact.name)
    args: dict[str, Any] = {"to": to, "text": text}
    if tool.startswith("user_email"):
        args = {"to": [to], "subject": say("Join my call"), "body": text}
    return PlanStep(step_id=2, description=what, tool_call=tool, args=args, depends_on=[1])


def _shown(name: str) -> str:
    return visible_line(" ".join(name.split()))[:60]
