"""The person's Trello boards: finding cards, making them and changing them."""

import re
from dataclasses import replace
from datetime import time
from typing import Any

from butler.contract.agents import PlanStep, When
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.draft import Draft
from butler.orchestrator.embedded.people import Way
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding.mail import SMALL
from butler.orchestrator.understanding.refs import several, shows
from butler.orchestrator.understanding.reported_text import text_of
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.orchestrator.understanding.who import known, without_article

CARD = frozenset({ReferentKind.CARD})
ME = re.compile(r"^(?:me|myself|i|mir|mich|moi|m['’]|mí|mi)$", re.IGNORECASE)
NO_DATE = re.compile(
    r"\b(?:remove|no due|take|clear|without|entfern\w*|kein\w*|lösch\w*|enlève\w*|supprime\w*|quita\w*|sin)\b",
    re.IGNORECASE,
)
OVERDUE = re.compile(r"overdue|late|überfällig|ueberfaellig|en retard|vencid|atrasad", re.IGNORECASE)
NOUN = re.compile(
    r"^(?:trello\s+)?(?:card|task|ticket|karte|aufgabe|carte|tarjeta|tarea)\s+|\s*[- ]?(?:card|ticket|task|-?karte)$",
    re.IGNORECASE,
)
NOON = time(12)
LATE = time(12)
WHICH_CARD = phrase("Which card do you mean?")
WHAT_COMMENT = phrase("What shall the comment say?")
NEW_NAME = phrase("What shall it be called?")


def words_of_card(said: Said, *slots: str) -> str:
    """The words by which a card is found."""
    words = next((found for slot in slots or ("topic", "title", "query") if (found := said.words(slot))), "")
    return one_line(NOUN.sub("", SMALL.sub("", bare(words))))


def place(said: Said, *, to: bool = False) -> dict[str, str]:
    """The list and board that were named."""
    found = {
        "to_list" if to else "in_list": _list(said.words("list")),
        "to_board" if to else "board": _list(said.words("board")),
    }
    return {name: words for name, words in found.items() if words}


def _list(words: str) -> str:
    name = re.sub(
        r"\s*(?:list|liste|lista|column|spalte|colonne|columna|board|tableau|tablero)$|^(?:list|liste|lista|board|tableau|tablero)\s+",
        "",
        bare(words),
        flags=re.IGNORECASE,
    )
    return SMALL.sub("", name)


def changed(said: Said, tool: str, told: str, *, one: bool = False, **args: Any) -> PlannerOutput:
    """A step for the cards that are meant: shown, described, or all of a list."""
    said.need(tool)
    words = words_of_card(said)
    if (said.has("ref") and not words) or (not words and shows(said, ReferentKind.CARD)):
        handles = [{"handle": card.handle} for card in several(said, CARD)]
        if not one:
            return calls.plan(calls.call(tool, told, cards=handles, **args))
        return calls.plan(*(calls.call(tool, told, card=handle, **args) for handle in handles[:1]))
    if not words:
        raise Asking(say(WHICH_CARD))
    where = {} if "to_list" in args or "to_board" in args else place(said)
    find = calls.call("user_trello_list_cards", say("Look for the card"), words=words, **where)
    card = {"step": 1, "fact": "cards.0.card_id"}
    target: dict[str, Any] = {"card": card} if one else {"cards": [card]}
    return calls.plan(find, _if_found(calls.call(tool, told, **target, **args)))


def _if_found(step: PlanStep) -> PlanStep:
    return step.model_copy(update={"when": When(step_id=1, fact="cards")})


def listed(said: Said) -> PlannerOutput:
    """`what's in [Doing](list)`, `cards [due this week](time)`."""
    said.need("user_trello_list_cards")
    args: dict[str, Any] = place(said)
    if words := words_of_card(said):
        args["words"] = words
    states = " ".join((*said.request.words("filter"), said.request.text))
    if OVERDUE.search(states):
        args["overdue"] = True
    _, before = said.stretch() if said.has("time") else (None, None)
    if before is not None and "overdue" not in args:
        args["due_before"] = before.isoformat(timespec="minutes")
    if who := said.words("to") or said.words("with"):
        args["assigned"] = _person(who, said)
    return calls.plan(calls.call("user_trello_list_cards", say("Look for cards"), **args))


def boards(said: Said) -> PlannerOutput:
    """`which boards do I have`."""
    said.need("user_trello_list_boards")
    return calls.plan(calls.call("user_trello_list_boards", say("List your boards")))


def read(said: Said) -> PlannerOutput:
    """`read me the [visa](topic) card`."""
    return changed(said, "user_trello_read_card", say("Read the card"), one=True)


def create(said: Said) -> PlannerOutput:
    """`add [buy paint](title) to [To do](list)`."""
    tool = "user_trello_create_card"
    said.need(tool)
    name = bare(said.words("title") or said.words("topic") or said.words("text"))
    if not name:
        raise said.missing("title")
    args: dict[str, Any] = {"name": name, **place(said)}
    if said.has("time"):
        due = said.moment(assumed=NOON)
        assert due is not None
        args["due"] = due.isoformat(timespec="minutes")
    if said.has("label"):
        args["labels"] = [bare(words) for words in said.request.words("label")]
    if said.has("to"):
        args["assign"] = [_person(words, said) for words in said.request.words("to")]
    return calls.plan(calls.call(tool, say("Make a card"), **args))


def move(said: Said) -> PlannerOutput:
    """`put the [visa](topic) card into [Done](list)`."""
    where = place(said, to=True)
    if not where:
        raise said.missing("list")
    named: dict[str, Any] = dict(where)
    return changed(said, "user_trello_move_card", say("Move cards"), **named)


def comment(said: Said) -> PlannerOutput:
    """`comment on the [visa](topic) card: called them`."""
    text = text_of(said, Draft((), "", Way.TELEGRAM)) or said.words("value")
    if not text:
        raise Asking(say(WHAT_COMMENT))
    return changed(said, "user_trello_comment_card", say("Comment on the card"), one=True, text=text)


def due(said: Said) -> PlannerOutput:
    """`the [visa](topic) card is due [friday](time)`."""
    if not said.has("time"):
        if NO_DATE.search(said.request.text):
            return changed(said, "user_trello_due_card", say("Take the due date off cards"), due=None)
        raise said.missing("time")
    at = said.moment(assumed=NOON)
    assert at is not None
    return changed(said, "user_trello_due_card", say("Set when cards are due"), due=at.isoformat(timespec="minutes"))


def _person(words: str, said: Said) -> str:
    name = without_article(words)
    if ME.match(name):
        return "me"
    found = known(words, said.scene)
    return found.name if found is not None else name


def assign(said: Said) -> PlannerOutput:
    """`give the [paint](topic) card to [anna](to)`."""
    return _people(said, "user_trello_assign_card", say("Assign cards"))


def unassign(said: Said) -> PlannerOutput:
    """`take [anna](to) off the [paint](topic) card`."""
    return _people(said, "user_trello_unassign_card", say("Take somebody off cards"))


def _people(said: Said, tool: str, told: str) -> PlannerOutput:
    words = said.words("to") or said.words("with") or said.words("from")
    if not words:
        raise said.missing("to")
    return changed(said, tool, told, person=_person(words, said))


def label(said: Said) -> PlannerOutput:
    """`label the [visa](topic) card [urgent](label)`."""
    return _labelled(said, "user_trello_label_card", say("Label cards"))


def unlabel(said: Said) -> PlannerOutput:
    """`take [urgent](label) off the [visa](topic) card`."""
    return _labelled(said, "user_trello_unlabel_card", say("Take a label off cards"))


def _labelled(said: Said, tool: str, told: str) -> PlannerOutput:
    name = bare(said.words("label") or said.words("value"))
    if not name:
        raise said.missing("label")
    return changed(said, tool, told, name=name)


def archive(said: Said) -> PlannerOutput:
    """`archive [everything](ref) in [Done](list)`, or one card."""
    if said.has("list", "board") and not words_of_card(said) and not shows_many(said):
        said.need("user_trello_archive_card")
        return calls.plan(calls.call("user_trello_archive_card", say("Archive cards"), **place(said)))
    return changed(said, "user_trello_archive_card", say("Archive cards"))


def shows_many(said: Said) -> bool:
    """Whether cards that were shown are pointed at by number."""
    return shows(said, ReferentKind.CARD) and bool(
        re.search(r"\d|second|third|zweit|dritt|deux|trois|segund|tercer", said.words("ref"))
    )


def restore(said: Said) -> PlannerOutput:
    """`bring the [visa](topic) card back`."""
    said.need("user_trello_unarchive_card")
    words = words_of_card(said)
    if not words:
        return changed(said, "user_trello_unarchive_card", say("Bring cards back"))
    find = calls.call("user_trello_list_cards", say("Look for the card"), words=words, archived=True)
    back = calls.call(
        "user_trello_unarchive_card", say("Bring cards back"), cards=[{"step": 1, "fact": "cards.0.card_id"}]
    )
    return calls.plan(find, _if_found(back))


def delete(said: Said) -> PlannerOutput:
    """`delete the [visa](topic) card for good`."""
    return changed(said, "user_trello_delete_card", say("Delete the card for good"), one=True)


def rename(said: Said) -> PlannerOutput:
    """`rename [visa](topic) to [visa form](value)`."""
    name = bare(said.words("value") or said.words("title") or said.words("text"))
    if not name:
        raise Asking(say(NEW_NAME))
    described = re.search(r"descri|beschreib", said.request.text, re.IGNORECASE) is not None
    without = replace(
        said, request=replace(said.request, slots=tuple(s for s in said.request.slots if s.slot != "title"))
    )
    args = {"description" if described else "name": name}
    return changed(
        without,
        "user_trello_change_card",
        say("Describe the card") if described else say("Rename the card"),
        one=True,
        **args,
    )


def new_list(said: Said) -> PlannerOutput:
    """`make a list [Ideas](title) on [Flat](board)`."""
    said.need("user_trello_create_list")
    name = bare(said.words("title") or said.words("list") or said.words("value"))
    if not name:
        raise Asking(say(NEW_NAME))
    board = _list(said.words("board"))
    return calls.plan(
        calls.call("user_trello_create_list", say("Make a list"), name=name, **({"board": board} if board else {}))
    )


BUILDERS: dict[str, Builder] = {
    "card.list": listed, "card.boards": boards, "card.read": read, "card.create": create, "card.move": move,
    "card.comment": comment, "card.due": due, "card.assign": assign, "card.unassign": unassign, "card.label": label,
    "card.unlabel": unlabel, "card.archive": archive, "card.restore": restore, "card.delete": delete,
    "card.rename": rename, "card.new_list": new_list,
}  # fmt: skip
