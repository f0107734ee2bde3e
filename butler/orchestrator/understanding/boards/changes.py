"""Builds changes of cards: shown ones, a described one, or all of a list."""

import re
from dataclasses import replace
from datetime import datetime, time
from typing import Any

from butler.contract.agents import PlanStep, When
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.main_clause import main_clause
from butler.orchestrator.embedded.say import capital, one_line
from butler.orchestrator.planning.plan_types import Choice, Planned, PlannerOutput
from butler.orchestrator.understanding.act_words import says
from butler.orchestrator.understanding.boards.places import everything_in, moving, places
from butler.orchestrator.understanding.people.who import known, without_article
from butler.orchestrator.understanding.requests.left_out import kept_apart
from butler.orchestrator.understanding.said import Said, bare
from butler.orchestrator.understanding.things.named import POINTING, SMALL, telling
from butler.orchestrator.understanding.things.refs import outside
from butler.orchestrator.understanding.things.shown import meant, points
from butler.orchestrator.understanding.times.loose import loose_time
from butler.orchestrator.understanding.times.upcoming import likely
from butler.understanding.times.lexicon import folded

PREFIX = "user_trello_"
LIST = f"{PREFIX}list_cards"
CARD = ReferentKind.CARD
DONE = "Done"
"""The default list for finished cards."""
ME = re.compile(r"^(?:me|myself|i|mir|mich|moi|m['’]|mí|mi|yo|ich|je)$", re.IGNORECASE)
NO_DATE = re.compile(
    r"\b(?:remove|no due|take|clear|drop|delete|without|entfern\w*|kein\w*|lösch\w*|streich\w*|weg|raus|enl[èe]v\w*|"
    r"supprim\w*|retir\w*|plus de|qu[ií]ta\w*|s[áa]ca\w*|elim[ií]na\w*|b[óo]rra\w*|sin)\b",
    re.IGNORECASE,
)
NOUNS = frozenset(folded("card cards task ticket karte kärtchen aufgabe carte tarjeta tarea ficha trello").split())
"""Words for any card."""
COMPOUND = re.compile(r"(?<=\w{3})-?(?:karte|card)$", re.IGNORECASE)
DESCRIBED = re.compile(r"descri|beschreib", re.IGNORECASE)
THAT = re.compile(r"\b(?:dass|daß)\s*$", re.IGNORECASE)
LABELS = re.compile(r"label|tag|etikett|[ée]tiquet", re.IGNORECASE)
NOON = time(12)
KEEPING = frozenset({"topic", "title", "label", "to", "with"})
"""Slots that may exclude cards: `everything in Done except the visa card`."""
WHICH_CARD = phrase("Which card do you mean?")
SHOW = phrase("Show my cards")
WHAT_COMMENT = phrase("What shall the comment say?")
NEW_NAME = phrase("What shall it be called?")
ARCHIVE_THEM = phrase("Archive them")


def words_of_card(said: Said, *slots: str) -> str:
    """Return the search words of a card, without words for any card."""
    slot = next((slot for slot in slots or ("topic", "title", "query") if said.has(slot)), "")
    spans = [one for one in said.request.words(slot) if telling(one, POINTING, NOUNS)]
    spans = spans or [one for one in said.request.words("ref") if _describes(one, said)]
    return " ".join(found for one in spans if (found := _telling(one)))


def _describes(ref: str, said: Said) -> bool:
    """Return whether words name a card, and do not only point or mean all of a list."""
    return not points(ref, said.language) and not everything_in(said) and not says("finished", ref)


def _telling(text: str) -> str:
    """Return the identifying words of a name; all words if none identifies it."""
    words = [COMPOUND.sub("", word) for word in one_line(bare(text)).split()]
    kept = " ".join(word for word in words if folded(bare(word)) not in SMALL | NOUNS)
    return kept if telling(kept) else one_line(bare(text))


def changed(said: Said, tool: str, told: str, *, one: bool = False, **args: Any) -> Planned:
    """Return the plan for the cards that are meant: shown, described, or all of a list."""
    said.need(tool)
    said, kept = kept_apart(said, KEEPING)
    words, where = words_of_card(said), _where(said, args)
    if not words and where and _of_all(said):
        if one:
            raise _one_at_a_time(said, where)
        keep = {"keep": [bare(one.text) for one in kept]} if kept else {}
        return calls.plan(calls.call(tool, told, **where, **keep, **args))
    if not words:
        handles = [{"handle": card.handle} for card in meant(said, CARD)]
        if not handles:
            raise Asking(say(WHICH_CARD), [Choice(say(SHOW), said.request.text, steps=_all_cards())])
        if not one:
            return calls.plan(calls.call(tool, told, cards=handles, **args))
        return calls.plan(*(calls.call(tool, told, card=handle, **args) for handle in handles))
    find = calls.call(LIST, say("Look for the card"), words=words, **where)
    card = {"step": 1, "fact": "cards.0.card_id"}
    target: dict[str, Any] = {"card": card} if one else {"cards": [card]}
    return calls.plan(find, only_one(calls.call(tool, told, **target, **args)))


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


def _one_at_a_time(said: Said, where: dict[str, Any]) -> Asking:
    tool = f"{PREFIX}archive_card"
    if said.request.intent != "card.delete" or not said.scene.has(tool):
        return Asking(say("I can do that to one card at a time. Say which, like “the first one”."))
    steps = calls.plan(calls.call(tool, say("Archive cards"), **where)).steps
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
    return changed(said, f"{PREFIX}read_card", say("Read the card"), one=True)


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
    return changed(said, tool, say("Set when cards are due"), due=due_at(said))


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


def person_named(words: str, said: Said) -> str:
    """Return a person's name as boards know it; the owner is `me`."""
    name = re.sub(r"['’]s$", "", without_article(words))
    if ME.match(name):
        return "me"
    found = known(words, said.scene)
    return found.name if found is not None else name


def assign(said: Said) -> PlannerOutput:
    """`give the [paint](topic) card to [anna](to)`."""
    return _people(said, f"{PREFIX}assign_card", say("Assign cards"))


def unassign(said: Said) -> PlannerOutput:
    """`take [anna](to) off the [paint](topic) card`."""
    return _people(said, f"{PREFIX}unassign_card", say("Take somebody off cards"))


def _people(said: Said, tool: str, told: str) -> PlannerOutput:
    everybody = next((found for slot in ("to", "with", "from") if (found := said.request.words(slot))), ())
    if not everybody:
        raise said.missing("to")
    return each([changed(said, tool, told, person=person_named(words, said)) for words in everybody])


def label(said: Said) -> PlannerOutput:
    """`label the [visa](topic) card [urgent](label)`."""
    return _labelled(said, f"{PREFIX}label_card", say("Label cards"))


def unlabel(said: Said) -> PlannerOutput:
    """`take [urgent](label) off the [visa](topic) card`."""
    return _labelled(said, f"{PREFIX}unlabel_card", say("Take a label off cards"))


def _labelled(said: Said, tool: str, told: str) -> PlannerOutput:
    marked = [one for slot in ("label", "value") for one in said.request.words(slot)]
    is_done = bool(marked) and all(says("finished", one) for one in marked)
    if tool.endswith("_label_card") and is_done and not LABELS.search(said.request.text):
        return move(replace(said, request=said.request.as_("card.move")))
    names = [name for one in marked if (name := bare(one))]
    if not names:
        raise said.missing("label")
    return each([changed(said, tool, told, name=name) for name in names])


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
    find = calls.call(LIST, say("Look for the card"), words=words, archived=True)
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
    slots = tuple(one for one in said.request.slots if one.slot != "title")
    which = replace(said, request=replace(said.request, slots=slots))
    return changed(which, f"{PREFIX}change_card", told, one=True, **args)


def _old_and_new(said: Said) -> Said:
    """Return the request with the first of two names as the card's present one: `rename [visa](value) to …`."""
    names = [one for one in said.request.slots if one.slot in {"value", "title"} and telling(bare(one.text))]
    if len(names) < 2 or said.has("topic", "ref"):  # noqa: PLR2004 - the old name and the new one
        return said
    slots = tuple(replace(one, slot="topic") if one is names[0] else one for one in said.request.slots)
    return replace(said, request=replace(said.request, slots=slots))
