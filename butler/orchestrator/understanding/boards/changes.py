"""Builds changes of cards: shown ones, a described one, or all of a list."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, time
from typing import Any

from butler.contract.agents import PlanStep, When
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.main_clause import main_clause
from butler.orchestrator.embedded.say import capital, one_line
from butler.orchestrator.planning.plan_types import Choice, Planned, PlannerOutput
from butler.orchestrator.understanding.act_words import only, says
from butler.orchestrator.understanding.act_words import words as act_words
from butler.orchestrator.understanding.boards.board_words import group, patterns, whole
from butler.orchestrator.understanding.boards.places import everything_in, is_label_of_cards, moving, places
from butler.orchestrator.understanding.boards.selecting import (
    ME,
    NOUNS,
    PEOPLE,
    criteria,
    described,
    limits,
    person_named,
    telling_words,
    words_of_card,
)
from butler.orchestrator.understanding.people.who import AND, without_article
from butler.orchestrator.understanding.requests.left_out import kept_apart
from butler.orchestrator.understanding.said import Said, bare
from butler.orchestrator.understanding.things.named import telling
from butler.orchestrator.understanding.things.refs import outside, recent, shows, which_of
from butler.orchestrator.understanding.things.shown import meant, points
from butler.orchestrator.understanding.times.loose import loose_time
from butler.orchestrator.understanding.times.upcoming import likely
from butler.understanding.marked import SlotWords
from butler.understanding.times.lexicon import tokens_of

__all__ = ["DONE", "LIST", "ME", "NEW_NAME", "PREFIX", "due_at"]
PREFIX = "user_trello_"
LIST, READ = f"{PREFIX}list_cards", f"{PREFIX}read_card"
CARD = ReferentKind.CARD
DONE = "Done"
"""The default list for finished cards."""
NO_DATE = whole("no_date")
DESCRIBED = patterns("described")
THAT = re.compile(rf"\b{group('that')}\s*$", re.IGNORECASE)
LABELS, TAGS = whole("labels"), whole("tags")
"""Words for labels, except in German, where `Tag` is a day."""
OWNER = re.compile(r"['’]s?$")
NOON = time(12)
KEEPING = frozenset({"topic", "title", "label", "to", "with"})
"""Slots that may exclude cards: `everything in Done except the visa card`."""
WHICH_CARD = phrase("Which card do you mean?")
WHICH_ARE_DUE = phrase("Do you mean the cards that are due by then, or shall I set that as their due date?")
SHOW = phrase("Show my cards")
WHAT_COMMENT = phrase("What shall the comment say?")
NEW_NAME = phrase("What shall it be called?")
ARCHIVE_THEM = phrase("Archive them")
WHICH_ARE_LIKE = phrase("Which cards are “{word}”? I can tell them apart by a label, like “the cards labelled {word}”.")
LABELLED_SO = phrase("Those labelled “{word}”")


def changed(
    said: Said, tool: str, told: str, *, one: bool = False, values: Iterable[SlotWords] = (), **args: Any
) -> Planned:
    """Return the plan for the cards that are meant: shown, described, or all within the limits that were said.

    Args:
        said: The request.
        tool: The tool that changes or reads cards.
        told: What its step does, in words.
        one: Whether the tool takes one card.
        values: The marks of the act's new values, which say nothing about which cards are meant.
        args: The other arguments.
    """
    said.need(tool)
    whole = said
    said, kept = kept_apart(_without(said, values), KEEPING)
    words, where = words_of_card(said), _where(said, args)
    within = where | limits(said, looking=tool == READ)
    if words:
        find = calls.call(LIST, say("Look for the card"), words=words, **within)
        card = {"step": 1, "fact": "cards.0.card_id"}
        target: dict[str, Any] = {"card": card} if one else {"cards": [card]}
        return calls.plan(find, only_one(calls.call(tool, told, **target, **args)))
    if within and _of_all(said) and (where or not _of_shown(said)):
        keep = {"keep": _names(kept, said)} if kept else {}
        if tool != READ and (word := described(whole)):
            labelled = within | keep | args | {"label": word}
            raise _which_are_like(word, said, calls.plan(calls.call(tool, told, **labelled)))
        if one:
            raise _one_at_a_time(said, within | keep)
        return calls.plan(calls.call(tool, told, **within, **keep, **args))
    cards = meant(said, CARD)
    if not cards:
        raise Asking(say(WHICH_CARD), [Choice(say(SHOW), said.request.text, steps=_all_cards())])
    if len(cards) > 1 and within.keys() - where.keys():
        raise which_of(said, cards)
    handles = [{"handle": card.handle} for card in cards]
    if not one:
        return calls.plan(calls.call(tool, told, cards=handles, **args))
    return calls.plan(*(calls.call(tool, told, card=handle, **args) for handle in handles))


def _without(said: Said, marks: Iterable[SlotWords]) -> Said:
    """Return the request without these marks."""
    left_out = {(one.slot, one.start) for one in marks}
    return said.with_slots(one for one in said.request.slots if (one.slot, one.start) not in left_out)


def _names(kept: Iterable[SlotWords], said: Said) -> list[str]:
    """Return what is left out by its full name and by its words; of `the invoice and my visa`, each of both."""
    spans = [person_named(one.text, said) if one.slot in PEOPLE else without_article(bare(one.text)) for one in kept]
    parts = [telling_words(part) for span in spans for part in AND.split(span) if telling(part)]
    return list(dict.fromkeys((*spans, *parts)))


def _of_shown(said: Said) -> bool:
    """Return whether several cards were shown last, and no noun says that others are meant: `the overdue ones`."""
    several = len(recent(said, frozenset({CARD}))) > 1 and shows(said, CARD)
    return several and NOUNS.isdisjoint(tokens_of(outside(said)))


def _all_cards() -> tuple[PlanStep, ...]:
    return calls.plan(calls.call(LIST, say("Look for cards"))).steps


def only_one(step: PlanStep) -> PlanStep:
    """Return the step with the condition that the search before it finds exactly one card."""
    return step.model_copy(update={"when": When(step_id=1, fact="count", is_="equal", value=1), "depends_on": [1]})


def _where(said: Said, args: dict[str, Any]) -> dict[str, Any]:
    """Return the list and board that hold the cards."""
    if "to_list" in args or "to_board" in args:
        return moving(said).where()
    where = places(said).where()
    if not where and (name := everything_in(said)):
        return {"in_list": name}
    finished = any(says("finished", one) and not points(one, said.language) for one in said.request.words("ref"))
    return where or ({"in_list": DONE} if finished else {})


def _of_all(said: Said) -> bool:
    """Return whether all cards of a list are meant, not some shown ones."""
    refs = [one for one in said.request.words("ref") if points(one, said.language)]
    return not refs or any(says("all", one) for one in refs)


def _which_are_like(word: str, said: Said, labelled: Planned) -> Asking:
    """Return the question about a word that may be a label, with a button for the cards that have it."""
    by_label = said.has("label") or said.request.intent == "card.delete"
    button = replace(choice(say(LABELLED_SO, word=word), said.request.text), steps=labelled.steps)
    return Asking(say(WHICH_ARE_LIKE, word=word), () if by_label else (button,))


def _one_at_a_time(said: Said, within: dict[str, Any]) -> Asking:
    tool = f"{PREFIX}archive_card"
    if said.request.intent != "card.delete" or not said.scene.has(tool):
        return Asking(say("I can do that to one card at a time. Say which, like “the first one”."))
    steps = calls.plan(calls.call(tool, say("Archive cards"), **within)).steps
    question = say("I delete one card at a time, for that is for good. Shall I archive them?")
    return Asking(question, [Choice(say(ARCHIVE_THEM), said.request.text, steps=steps)])


def each(plans: list[Planned]) -> Planned:
    """Return one plan with the steps of several, in order."""
    plan = plans[0]
    for later in plans[1:]:
        plan = calls.plan(*plan.steps, *calls.moved(later, len(plan.steps)))
    return plan


def read(said: Said) -> PlannerOutput:
    """`read me the [visa](topic) card`."""
    return changed(said, READ, say("Read the card"), one=True)


def move(said: Said) -> PlannerOutput:
    """`put the [visa](topic) card into [Done](list)`; a day in place of a list is when it is due."""
    there = moving(said).there()
    if not there and says("finished", said.request.text):
        there["to_list"] = DONE
    if not there and said.has("time"):
        return due(said)
    if not there:
        raise said.missing("list")
    return changed(said, f"{PREFIX}move_card", say("Move cards"), **there)


def comment(said: Said) -> PlannerOutput:
    """`comment on the [visa](topic) card: [called them](text)`."""
    text = _comment(said)
    if not text:
        raise Asking(say(WHAT_COMMENT))
    return changed(said, f"{PREFIX}comment_card", say("Comment on the card"), one=True, text=text)


def _comment(said: Said) -> str:
    """Return the comment as it was said; a German clause becomes a sentence if its order is certain."""
    slot = next((slot for slot in ("text", "reported", "asked", "value") if said.has(slot)), "")
    texts: list[str] = []
    for one in (marked for marked in said.request.slots if marked.slot == slot):
        words = bare(one.text)
        clause = said.language == "de" and THAT.search(said.request.text[: one.start]) is not None
        texts.append((main_clause(words) if clause else None) or capital(words))
    return ", ".join(text for text in texts if text)


def due(said: Said) -> PlannerOutput:
    """`the [visa](topic) card is due [friday](time)`."""
    tool = f"{PREFIX}due_card"
    if not said.has("time"):
        if NO_DATE.search(said.request.text):
            return changed(said, tool, say("Take the due date off cards"), due=None)
        raise said.missing("time")
    times = [one for one in said.request.slots if one.slot == "time"]
    plan = changed(said, tool, say("Set when cards are due"), values=times, due=due_at(said))
    if "cards" in plan.steps[-1].args or says("sets_due", said.whole):
        return plan
    look = replace(choice(say("Look for cards"), said.request.text), steps=looked_for(said).steps)
    both = look, replace(choice(say("Set when cards are due"), said.request.text), steps=plan.steps)
    raise Asking(say(WHICH_ARE_DUE), both)


def looked_for(said: Said) -> Planned:
    """Return the plan that looks for all cards that fit the words."""
    return calls.plan(calls.call(LIST, say("Look for cards"), **criteria(said)))


def _names_a_card(said: Said) -> bool:
    """Return whether a card is named or pointed at, so that not all of a list are meant."""
    return bool(words_of_card(said)) or said.has("ref")


def due_at(said: Said) -> str:
    """Return the due time: noon without an hour, and the last day of a week or month."""
    found = loose_time(said)
    if found is None:
        raise said.missing("time")
    found = likely(found, " ".join(said.request.words("time")))
    day = found.until_day or found.day
    if day is not None and found.or_day is None and not (found.clock or found.part or found.moment):
        return datetime.combine(day, NOON).isoformat(timespec="minutes")
    return said.settled(replace(found, day=day, until_day=None), assumed=NOON).isoformat(timespec="minutes")


def assign(said: Said) -> PlannerOutput:
    """`give the [paint](topic) card to [anna](to)`."""
    return _people(said, f"{PREFIX}assign_card", say("Assign cards"))


def unassign(said: Said) -> PlannerOutput:
    """`take [anna](to) off the [paint](topic) card`."""
    return _people(said, f"{PREFIX}unassign_card", say("Take somebody off cards"))


def _people(said: Said, tool: str, told: str) -> PlannerOutput:
    asked, _ = kept_apart(said, KEEPING)
    slot = next((one for one in PEOPLE if asked.request.words(one)), "")
    marked = [one for one in asked.request.slots if one.slot == slot]
    everybody = [one for one in marked if not _owns(one, said)] or marked
    if not everybody:
        raise said.missing("to")
    return each([changed(said, tool, told, values=everybody, person=person_named(one.text, said)) for one in everybody])


def _owns(one: SlotWords, said: Said) -> bool:
    """Return whether cards are said to be somebody's: `give Anna's cards to Bob`."""
    return OWNER.search(one.text + said.request.text[one.end :].partition(" ")[0]) is not None


def label(said: Said) -> PlannerOutput:
    """`label the [visa](topic) card [urgent](label)`; without a verb, look for the cards that have the label."""
    said.need(f"{PREFIX}label_card")
    words = act_words("labelled").sub(" ", outside(said))
    if says("labelled", said.request.text) and not (_names_a_card(said) or says("labels", words)):
        return looked_for(said)
    return _labelled(said, f"{PREFIX}label_card", say("Label cards"))


def unlabel(said: Said) -> PlannerOutput:
    """`take [urgent](label) off the [visa](topic) card`."""
    return _labelled(said, f"{PREFIX}unlabel_card", say("Take a label off cards"))


def _labelled(said: Said, tool: str, told: str) -> PlannerOutput:
    asked, _ = kept_apart(said, KEEPING)
    marked = [one for slot in ("label", "value") for one in asked.request.slots if one.slot == slot]
    is_done = all(only("finished", one.text) for one in marked) if marked else says("finished", outside(said))
    if tool.endswith("_label_card") and is_done and not _speaks_of_labels(said):
        return move(replace(said, request=said.request.as_("card.move")))
    given = [one for one in marked if not is_label_of_cards(said, one, marked)]
    names = [name for one in given if (name := bare(one.text))]
    if not names:
        raise said.missing("label")
    return each([changed(said, tool, told, values=given, name=name) for name in names])


def _speaks_of_labels(said: Said) -> bool:
    words = outside(said)
    return LABELS.search(words) is not None or (said.language != "de" and TAGS.search(words) is not None)


def archive(said: Said) -> PlannerOutput:
    """`archive [everything](ref) in [Done](list)`, or one card."""
    return changed(said, f"{PREFIX}archive_card", say("Archive cards"))


def restore(said: Said) -> PlannerOutput:
    """`bring the [visa](topic) card back`."""
    tool = f"{PREFIX}unarchive_card"
    said.need(tool)
    words = words_of_card(said)
    if not words:
        return changed(said, tool, say("Bring cards back"))
    within = places(said).where() | limits(said)
    find = calls.call(LIST, say("Look for the card"), words=words, archived=True, **within)
    back = calls.call(tool, say("Bring cards back"), cards=[{"step": 1, "fact": "cards.0.card_id"}])
    return calls.plan(find, only_one(back))


def delete(said: Said) -> PlannerOutput:
    """`delete the [visa](topic) card for good`."""
    return changed(said, f"{PREFIX}delete_card", say("Delete the card for good"), one=True)


def rename(said: Said) -> PlannerOutput:
    """`rename [visa](topic) to [visa form](value)`; or change the card's description."""
    said = _old_and_new(said)
    name = bare(said.words("value") or said.words("title") or said.words("text"))
    if not name:
        raise Asking(say(NEW_NAME))
    described = DESCRIBED.search(outside(said)) is not None
    told = say("Describe the card") if described else say("Rename the card")
    args: dict[str, Any] = {"description": name} if described else {"name": one_line(name)}
    which = said.with_slots(one for one in said.request.slots if one.slot != "title")
    return changed(which, f"{PREFIX}change_card", told, one=True, **args)


def _old_and_new(said: Said) -> Said:
    """Return the request with the first of two names as the card's present one: `rename [visa](value) to …`."""
    names = [one for one in said.request.slots if one.slot in {"value", "title"} and telling(bare(one.text))]
    if len(names) < 2 or said.has("topic", "ref"):  # noqa: PLR2004 - the old name and the new one
        return said
    slots = tuple(replace(one, slot="topic") if one is names[0] else one for one in said.request.slots)
    return said.with_slots(slots)
