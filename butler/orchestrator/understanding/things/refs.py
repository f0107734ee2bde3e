"""Finds the shown items that words mean: `the second one`, `both`, `the other one`, or the last one for a bare `it`."""

from collections.abc import Sequence
from dataclasses import replace

from butler.contract.referents import ReferentKind
from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.items import KINDS, NO_MAIL, NONE_SHOWN, Spoken, find, last_list, last_shown_kind
from butler.orchestrator.embedded.numbers import say_place
from butler.orchestrator.embedded.people import Person
from butler.orchestrator.planning.last_shown import none_there
from butler.orchestrator.planning.plan_types import Choice, Planned, PlannerOutput
from butler.orchestrator.understanding.said import Builder, Said
from butler.orchestrator.understanding.things.pointing import ALL, HANDLE, LAST, Pointed, pointed
from butler.store.conversation import Referent
from butler.understanding.marked import SlotWords

__all__ = ["ALL", "HANDLE", "LAST", "Pointed", "pointed"]
MOST_BUTTONS, PAIR = 4, 2


def one_of(
    said: Said,
    among: frozenset[ReferentKind],
    *,
    by: Person | None = None,
    slot: str = "ref",
    way: Pointed | None = None,
) -> Referent | None:
    """Return the one shown item that is meant; None if a person's was not shown yet. Ask if several fit.

    Args:
        said: The request.
        among: The kinds that it may have.
        by: The person whose item it is.
        slot: The slot whose words point at it.
        way: The way of pointing, instead of the slot's words.
    """
    way = way or pointed(said.words(slot), said.language)
    if by is None and (found := _by_place(way, said, among, slot)) is not None:
        return found
    kind = next(iter(among)) if len(among) == 1 else None
    spoken = Spoken(
        handle=way.handle, number=way.numbers[0] if way.numbers else 0, newest=way.last or by is not None,
        last_of_list=way.at_end and by is None, person=by, kind=kind,
    )  # fmt: skip
    try:
        return find(spoken, said.scene, lambda handle: said.again(slot, handle), among)
    except Asking as asking:
        if not asking.unclear.choices and (empty := nothing_there(said, among)) is not None:
            raise empty from None
        shown = recent(said, among)
        if not shown and not asking.unclear.choices and not among & (KINDS | NONE_SHOWN.keys()):
            raise Asking(say("Which one do you mean?")) from None
        if len(asking.unclear.choices) > MOST_BUTTONS and len(shown) > 1 and not way.numbers:
            raise which_of(said, shown, slot=slot) from None
        raise


def _by_place(way: Pointed, said: Said, among: frozenset[ReferentKind], slot: str) -> Referent | None:
    """Return the item next to the one that was shown alone last; None if the words name no such place."""
    listed, current = listed_of(said, among), _current(said, among)
    if way.oldest and listed:
        return min(listed, key=lambda one: one.at or said.scene.now())
    if way.step and listed:
        at = (current.ordinal if current is not None else 0) + way.step
        found = next((one for one in listed if one.ordinal == at), None)
        if found is None:
            raise Asking(say("There is no further one in the list."))
        return found
    if way.other and (others := [one for one in listed if one != current]):
        if len(others) > 1:
            raise which_of(said, others, slot=slot)
        return others[0]
    return None


def _current(said: Said, among: frozenset[ReferentKind]) -> Referent | None:
    """Return the list's item that was shown alone last: the one with the same key, or the one requested by number."""
    listed, alone = listed_of(said, among), shown_alone(said, among)
    if alone is None:
        return None
    same = next((one for one in listed if one.key == alone.key), None)
    before = next((one.content for one in reversed(said.scene.request.history) if one.role == "user"), "")
    number = next(iter(pointed(before, said.language).numbers), 1)
    return same or next((one for one in listed if one.ordinal == number), None)


def several(
    said: Said, among: frozenset[ReferentKind], *, slot: str = "ref", way: Pointed | None = None
) -> tuple[Referent, ...]:
    """Return all shown items that are meant, in order; raise `Asking` if there is none.

    Args:
        said: The request.
        among: The kinds that they may have.
        slot: The slot whose words point at them.
        way: The way of pointing, instead of the slot's words.
    """
    way = way or pointed(" ".join(said.request.words(slot)), said.language)
    listed, shown = listed_of(said, among), recent(said, among)
    if way.pair and len(listed) != PAIR:
        raise which_of(said, listed, slot=slot)
    if listed and (found := _of_list(way, listed, said, among)):
        return tuple(found)
    if len(way.numbers) > 1:
        return tuple(_numbered(listed, number) for number in way.numbers)
    if shown and (way.every or (way.either and (len(shown) == 1 or not way.how_many))):
        return tuple(shown)
    one = one_of(said, among, slot=slot, way=way)
    if one is None:
        raise Asking(say("Which one do you mean?"))
    return (one,)


def _of_list(
    way: Pointed, listed: Sequence[Referent], said: Said, among: frozenset[ReferentKind]
) -> Sequence[Referent]:
    """Return all items of a list, the other ones, or several from its beginning or end."""
    if way.rest:
        current = _current(said, among)
        return [one for one in listed if one != current]
    if way.every or (way.how_many and way.numbers == (len(listed),)):
        return listed
    if way.first or way.final:
        return _first(listed, way.first) if way.first else _first(listed[::-1], way.final)[::-1]
    return _first(listed, way.numbers[0]) if way.how_many and len(way.numbers) == 1 else ()


def _first(listed: Sequence[Referent], number: int) -> list[Referent]:
    if number > len(listed):
        raise Asking(say("There is no number {number} in the list.", number=number))
    return list(listed[:number])


def _numbered(listed: Sequence[Referent], number: int) -> Referent:
    found = next((one for one in listed if one.ordinal == number), None)
    if found is None:
        raise Asking(say("There is no number {number} in the list.", number=number))
    return found


def shows(said: Said, kind: ReferentKind) -> bool:
    """Return whether what was shown last or replied to is of a kind."""
    return last_shown_kind(said.scene) is kind


def listed_of(said: Said, among: frozenset[ReferentKind]) -> list[Referent]:
    """Return the list that `all of them` means, in order: what was replied to, or the newest list."""
    request = said.scene.request
    replied = [one for one in request.replied_to if one.kind in among]
    found = replied or last_list([one for one in request.referents if one.kind in among and not one.unseen])
    return sorted(found, key=lambda one: one.ordinal)


def recent(said: Said, among: frozenset[ReferentKind]) -> list[Referent]:
    """Return the items of these kinds that were replied to, or else those in the newest message with any."""
    request = said.scene.request
    replied = [one for one in request.replied_to if one.kind in among]
    shown = [one for one in request.referents if one.kind in among and not one.unseen]
    if replied or not shown:
        return replied
    if not shown[-1].shown_in:
        return shown[-1:]
    return list({one.key: one for one in shown if one.shown_in == shown[-1].shown_in}.values())


def shown_alone(said: Said, among: frozenset[ReferentKind]) -> Referent | None:
    """Return the item that was shown alone last, such as a mail that was read; None after a list."""
    found = recent(said, among)
    return found[0] if len(found) == 1 else None


def outside(said: Said) -> str:
    """Return the request without the words of its slots."""
    text = said.request.text
    for one in sorted(said.request.slots, key=lambda one: -one.start):
        text = f"{text[: one.start]} {text[one.end :]}"
    return text


def nothing_there(said: Said, among: frozenset[ReferentKind]) -> Asking | None:
    """Return the answer to pointing into an empty list that was shown last; None if there was no such list."""
    last = said.scene.request.last_shown
    if last is None or said.scene.request.replied_to or last.count or last.kind not in among:
        return None
    return Asking(none_there(last.kind))


def which_of(said: Said, shown: Sequence[Referent], *, slot: str = "ref") -> Asking:
    """Return the question which item is meant, with a button for each of the first, by its place and sender."""
    if not shown:
        return nothing_there(said, frozenset(ReferentKind)) or Asking(say(NO_MAIL))
    choices = [_button(one, at, said, slot) for at, one in enumerate(shown, 1)]
    return Asking(say("Which one do you mean?"), choices[:MOST_BUTTONS])


def _button(one: Referent, at: int, said: Said, slot: str) -> Choice:
    contact, place = said.scene.contact(one), say_place(one.ordinal or at)
    label = say("{item}, from {name}", item=place, name=contact.name) if contact else place
    return choice(label, said.again(slot, one.handle))


def tappable(builder: Builder) -> Builder:
    """Wrap a builder so that its question's buttons for shown items hold steps instead of words."""

    def build(said: Said) -> PlannerOutput:
        try:
            return builder(said)
        except Asking as asking:
            question = asking.unclear
            raise Asking(
                question.question, [_with_steps(one, builder, said) for one in question.choices], question.stranger
            ) from None

    return build


def _with_steps(one: Choice, builder: Builder, said: Said) -> Choice:
    handle = HANDLE.search(one.words)
    if handle is None or one.steps:
        return one
    named = SlotWords("ref", handle[0], handle.start(), handle.end())
    kept = tuple(slot for slot in said.request.slots if slot.slot not in {"ref", "from", "topic"})
    try:
        made = builder(said.with_slots((*kept, named)))
    except Asking:
        return one
    return replace(one, steps=made.steps, labels=made.labels) if isinstance(made, Planned) else one
