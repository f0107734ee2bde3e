"""Builds requests about the owner's Trello boards: searching cards, creating them, and changing existing ones."""

import re
from datetime import datetime, timedelta
from typing import Any

from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding.act_words import only
from butler.orchestrator.understanding.boards import changes
from butler.orchestrator.understanding.boards.changes import LIST, NEW_NAME, PREFIX, due_at, person_named, words_of_card
from butler.orchestrator.understanding.boards.places import places
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.orchestrator.understanding.things.refs import tappable
from butler.orchestrator.understanding.times.loose import without_its_day
from butler.orchestrator.understanding.times.meant import of_meant_times

TRELLO = re.compile(r"trello", re.IGNORECASE)
OVERDUE = re.compile(r"overdue|\blate\b|überfällig|ueberfaellig|en retard|vencid|atrasad", re.IGNORECASE)


def listed(said: Said) -> PlannerOutput:
    """`what's in [Doing](list)`, `cards [due this week](time)`."""
    said.need(LIST)
    return calls.plan(calls.call(LIST, say("Look for cards"), **criteria(said)))


def criteria(said: Said) -> dict[str, Any]:
    """Return the arguments for all cards that fit the request."""
    args: dict[str, Any] = places(said).where()
    if words := words_of_card(said):
        args["words"] = words
    states = " ".join((*said.request.words("filter"), said.request.text))
    if OVERDUE.search(states):
        args["overdue"] = True
    if label := bare(said.words("label")):
        args["label"] = label
    before = due_before(said)
    if before is not None and "overdue" not in args:
        args["due_before"] = before.isoformat(timespec="minutes")
    if who := said.words("to") or said.words("with"):
        args["assigned"] = person_named(who, said)
    return args


def due_before(said: Said) -> datetime | None:
    """Return the latest due time of the cards; None if none was said."""
    _, before = said.stretch() if said.has("time") else (None, None)
    return before - timedelta(1) if before is not None and without_its_day(said, "time") else before


def boards(said: Said) -> PlannerOutput:
    """`which boards do I have`."""
    tool = f"{PREFIX}list_boards"
    said.need(tool)
    return calls.plan(calls.call(tool, say("List your boards")))


def create(said: Said) -> PlannerOutput:
    """`add [buy paint](title) to [To do](list)`; one for each name."""
    tool = f"{PREFIX}create_card"
    said.need(tool)
    slot = next((slot for slot in ("title", "topic", "text", "reported", "value") if said.has(slot)), "")
    names = [name for one in said.request.words(slot) if (name := bare(one))]
    names = [name for name in names if not only("nouns", TRELLO.sub("", name) or "card")] or names
    if not names:
        raise said.missing("title")
    args: dict[str, Any] = places(said).where()
    if slot == "title" and (text := bare(said.words("text") or said.words("reported"))):
        args["description"] = text
    if said.has("time"):
        args["due"] = due_at(said)
    if said.has("label"):
        args["labels"] = [bare(words) for words in said.request.words("label")]
    if said.has("to"):
        args["assign"] = [person_named(words, said) for words in said.request.words("to")]
    return calls.plan(*(calls.call(tool, say("Make a card"), name=name, **args) for name in names))


def new_list(said: Said) -> PlannerOutput:
    """`make a list [Ideas](title) on [Flat](board)`."""
    tool = f"{PREFIX}create_list"
    said.need(tool)
    name = bare(said.words("title") or said.words("list") or said.words("value"))
    if not name:
        raise Asking(say(NEW_NAME))
    board = {"board": found.board} if (found := places(said)).board else {}
    return calls.plan(calls.call(tool, say("Make a list"), name=name, **board))


BUILDERS: dict[str, Builder] = {
    "card.list": listed, "card.boards": boards, "card.create": of_meant_times(create), "card.new_list": new_list,
    "card.read": tappable(changes.read), "card.move": tappable(changes.move), "card.comment": tappable(changes.comment),
    "card.due": of_meant_times(tappable(changes.due)), "card.assign": tappable(changes.assign),
    "card.unassign": tappable(changes.unassign), "card.label": tappable(changes.label),
    "card.unlabel": tappable(changes.unlabel), "card.archive": tappable(changes.archive),
    "card.restore": tappable(changes.restore), "card.delete": tappable(changes.delete),
    "card.rename": tappable(changes.rename),
}  # fmt: skip
"""The builders by intent."""
