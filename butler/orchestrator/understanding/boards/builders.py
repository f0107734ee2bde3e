"""Builds requests about the owner's Trello boards: searching cards, creating them, and changing existing ones."""

import re
from typing import Any

from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding.act_words import only
from butler.orchestrator.understanding.boards import changes
from butler.orchestrator.understanding.boards.changes import LIST, NEW_NAME, PREFIX, due_at
from butler.orchestrator.understanding.boards.places import places
from butler.orchestrator.understanding.boards.selecting import OVERDUE, criteria, person_named, without_false_lists
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.orchestrator.understanding.things.refs import tappable
from butler.orchestrator.understanding.times.meant import of_meant_times

__all__ = ["BUILDERS", "OVERDUE", "criteria"]
TRELLO = re.compile(r"trello", re.IGNORECASE)


def listed(said: Said) -> PlannerOutput:
    """`what's in [Doing](list)`, `cards [due this week](time)`."""
    said.need(LIST)
    return changes.looked_for(said)


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


def _of_lists(builder: Builder) -> Builder:
    """Wrap a builder so that it gets no lists that are none."""
    return lambda said: builder(without_false_lists(said))


BUILDERS: dict[str, Builder] = {intent: _of_lists(builder) for intent, builder in {
    "card.list": listed, "card.boards": boards, "card.create": of_meant_times(create), "card.new_list": new_list,
    "card.read": tappable(changes.read), "card.move": tappable(changes.move), "card.comment": tappable(changes.comment),
    "card.due": of_meant_times(tappable(changes.due)), "card.assign": tappable(changes.assign),
    "card.unassign": tappable(changes.unassign), "card.label": tappable(changes.label),
    "card.unlabel": tappable(changes.unlabel), "card.archive": tappable(changes.archive),
    "card.restore": tappable(changes.restore), "card.delete": tappable(changes.delete),
    "card.rename": tappable(changes.rename),
}.items()}  # fmt: skip
"""The builders by intent."""
