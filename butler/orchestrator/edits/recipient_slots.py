"""Changes who gets what a card sends, or who is invited, by the names that were marked: `not to [bob](to)`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from butler.contract.speech import phrase, say
from butler.contract.tools import Recipient
from butler.orchestrator.edits.card_content import CardContent
from butler.orchestrator.edits.card_words import card_words, words_of_kind
from butler.orchestrator.edits.recipients import People
from butler.orchestrator.edits.slot_scene import CANNOT, WHAT, Edited, Scene, with_values
from butler.orchestrator.edits.ways import CLAUSES, folded_alike
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.understanding.people.who import AND, without_article

CANNOT_UNSEEN = phrase("On a card I can only add people whom all the others see. Say “also to Anna”, or tap Deny.")
GUESTS = ("guests", "add_guests")
MOST_BEHIND = 4
"""The most words behind a name that leave it out: `Bob soll es nicht bekommen`."""


class Role(Enum):
    """What a name that is said is to a card."""

    NEW = auto()
    GONE = auto()
    KEPT = auto()


@dataclass(frozen=True, slots=True)
class Named:
    """Names in a reply, and what they are to the card."""

    names: tuple[str, ...]
    role: Role


def to(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    """Make it go to these people, or not to them."""
    return _changed(edited, words, scene, also=card_words("also_to").search(scene.said) is not None)


def also_to(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    """Make it go to these people as well, or not to them."""
    return _changed(edited, words, scene, also=True)


def _changed(edited: Edited, words: Sequence[str], scene: Scene, *, also: bool) -> Edited:
    if card_words("unseen").search(scene.said):
        raise Asking(say(CANNOT_UNSEEN))
    if card_words("mentions").search(scene.said):
        raise Asking(say(WHAT))
    if not edited.sheet.recipients:
        return _guests(edited, words, scene)
    return replace(edited, sheet=_sheet(edited.sheet, words, scene, also=also))


def _guests(edited: Edited, words: Sequence[str], scene: Scene) -> Edited:
    name = next((one for one in GUESTS if one in scene.args), "")
    if not name:
        raise Asking(say(CANNOT))
    invited = tuple(Recipient.model_validate(one) for one in scene.args[name])
    sheet = _sheet(CardContent(None, None, invited, ()), words, scene, also=True)
    return with_values(edited, **{name: [one.model_dump(mode="json") for one in sheet.recipients]})


def _sheet(sheet: CardContent, words: Sequence[str], scene: Scene, *, also: bool) -> CardContent:
    people, named = scene.people, _named(sheet, words, scene)
    new = [name for one in named if one.role is Role.NEW for name in one.names]
    gone = [name for one in named if one.role is Role.GONE for name in one.names]
    if not new and not gone:
        return sheet
    keeps = also or bool(gone)
    for name in gone:
        if not new or len(sheet.recipients) > 1:
            sheet = people.less(name)(sheet)
        else:
            keeps = False
    for name in new:
        sheet = (people.more if keeps else people.only)(name)(sheet)
        keeps = True
    return sheet


def _named(sheet: CardContent, words: Sequence[str], scene: Scene) -> Sequence[Named]:
    """Return the names in the reply: those that were marked, and those of the card that are to be left out."""
    places = scene.places(words)
    if not places:
        raise Asking(say(WHAT))
    swapped = words_of_kind("replacing").search(folded_alike(scene.said)) is not None
    if swapped and len(words) != len(("old", "new")):
        raise Asking(say(WHAT))
    marked = {place: _names(one, scene.people) for place, one in zip(places, words, strict=True)}
    others = {place: names for place, names in _of_card(sheet, scene.said) if not _within(place, places)}
    spans = sorted((*marked, *others))
    found: list[Named] = []
    for number, (start, end) in enumerate(spans):
        lead = CLAUSES.split(scene.said[spans[number - 1][1] if number else 0 : start])[-1]
        role = _role(lead, _behind(scene.said, spans, number))
        if swapped:
            role = Role.NEW if found else Role.GONE
        elif found and found[-1].role is Role.GONE and card_words("joins_names").fullmatch(lead):
            # Not Anna and Bob: neither of them.
            role = Role.GONE
        if (start, end) in marked:
            found.append(Named(marked[start, end], role))
        elif role is Role.GONE:
            found.append(Named(others[start, end], role))
    return found


def _names(words: str, people: People) -> tuple[str, ...]:
    """Return the names in marked words, without an article or an `and` around them."""
    parts = [without_article(one) for one in AND.split(words) if one.strip()]
    whole = without_article(words)
    return tuple(parts) if len(parts) == 1 or all(people.names(one) for one in parts) else (whole,)


def _of_card(sheet: CardContent, said: str) -> Iterator[tuple[tuple[int, int], tuple[str, ...]]]:
    """Yield where a reply names those whom the card reaches."""
    for one in sheet.recipients:
        if one.name:
            for match in re.finditer(rf"(?<!\w){re.escape(one.name)}(?!\w)", said, re.IGNORECASE):
                yield match.span(), (one.name,)


def _within(place: tuple[int, int], places: Sequence[tuple[int, int]]) -> bool:
    return any(start < place[1] and place[0] < end for start, end in places)


def _behind(said: str, spans: Sequence[tuple[int, int]], number: int) -> str:
    """Return what follows a name in its clause; empty where another name follows in the same one."""
    last = number + 1 == len(spans)
    behind = said[spans[number][1] : None if last else spans[number + 1][0]]
    clause, *more = CLAUSES.split(card_words("but").split(behind, maxsplit=1)[0], maxsplit=1)
    return clause if (last or more) and len(clause.split()) <= MOST_BEHIND else ""


def _role(lead: str, behind: str) -> Role:
    plain = folded_alike(lead)
    out = [*words_of_kind("not_to").finditer(plain), *words_of_kind("behind_name").finditer(folded_alike(behind))]
    if len(out) > 1:
        raise Asking(say(WHAT))
    if out and words_of_kind("only").search(plain):
        return Role.KEPT
    if out or card_words("instead_of").search(lead):
        return Role.GONE
    return Role.KEPT if words_of_kind("keep_name").search(plain) else Role.NEW
