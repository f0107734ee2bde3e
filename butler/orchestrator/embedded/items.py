"""Resolves references to shown items: `it`, `the second one`, `mail-3`, `Anna's last mail`. Asks if in doubt."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.numbers import say_place
from butler.orchestrator.embedded.people import Person
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import Choice
from butler.store.conversation import Referent, newest_list

LOOKS = ("_search_", "_get_", "_list_")
KINDS = frozenset({ReferentKind.MAIL, ReferentKind.MESSAGE})

NONE_SHOWN = {
    ReferentKind.EVENT: phrase(
        "I don't know which event you mean. Let me show you some first: “what's on this week?”."
    ),
    ReferentKind.CARD: phrase("I don't know which card you mean. Let me show you some first: “show all cards”."),
    ReferentKind.BOARD: phrase("I don't know which board you mean. Let me show you them first: “show my boards”."),
}
NO_MAIL = phrase("I don't know which mail you mean. Let me show you some first: “show my unread mail”.")

Rephrase = Callable[[str], str]
"""Makes the request again, with an unambiguous name of the item."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """How the words refer to an item; without any field, they say `it`."""

    handle: str = ""
    number: int = 0
    newest: bool = False
    last_of_list: bool = False
    person: Person | None = None
    kind: ReferentKind | None = None
    """The kind, if the words say one; None for a message, which may be a mail too."""


def find(said: Spoken, scene: Scene, again: Rephrase, among: frozenset[ReferentKind] = KINDS) -> Referent | None:
    """Return the one shown item that is meant; None if a person's mail was not shown yet. Ask if several fit."""
    kinds = {said.kind} if said.kind else among
    shown = [r for r in scene.request.referents if r.kind in kinds]
    replied = [r for r in scene.request.replied_to if r.kind in kinds] or _came_with(said, shown, scene)
    if said.handle:
        return _one([r for r in shown + replied if r.handle == said.handle][:1], scene, again, kinds)
    if said.person is not None:
        return _by(said.person, replied or shown, scene, again)
    group = replied or _last_shown(shown)
    if said.number:
        found = _numbered_as(said.number, replied) or _numbered_as(said.number, last_list(shown))
        return _one(_newer_alone(said.number, found, shown) or found or _alone(group, said.number), scene, again, kinds)
    listed = last_list(shown)
    if said.last_of_list and (last := replied or _newer_alone(1, listed, shown) or listed):
        return max(last, key=lambda r: r.ordinal)
    if said.newest and group:
        return _latest(group, shown)
    return _one(group, scene, again, kinds)


def last_shown_kind(scene: Scene) -> ReferentKind | None:
    """Return the kind of the item that was replied to or else shown last; files only come with other items."""
    last = scene.request.last_shown
    if last is not None and not scene.request.replied_to:
        return last.kind
    shown = scene.request.replied_to or scene.request.referents
    kinds = [one.kind for one in shown if one.kind is not ReferentKind.FILE]
    return kinds[-1] if kinds else None


def _came_with(said: Spoken, shown: Sequence[Referent], scene: Scene) -> list[Referent]:
    """Return the files of the mail or message that was replied to, by their time; raise `Asking` if it has none."""
    carriers = [r.at for r in scene.request.replied_to if r.kind in KINDS]
    if said.kind is not ReferentKind.FILE or said.handle or not carriers:
        return []
    files = [r for r in shown if r.at in carriers]
    if not files:
        raise Asking(say("No file came with that, as far as I can see."))
    return files


def _numbered_as(number: int, items: Sequence[Referent]) -> list[Referent]:
    return [r for r in items if r.ordinal == number]


def _newer_alone(number: int, listed: Sequence[Referent], shown: Sequence[Referent]) -> list[Referent]:
    """Return the only hit of a search after the list; if it is a mail of the butler's, the list as well."""
    hits = [r for r in shown if any(look in f"{r.tool}_" for look in LOOKS)]
    alone = [r for r in hits if r.shown_in == hits[-1].shown_in]
    if number != 1 or len(alone) != 1 or not alone[0].shown_in or alone[0] in listed:
        return []
    return alone if side_of(alone[0]) == "user" or alone[0].ordinal else [*listed, *alone]


def last_list(shown: Sequence[Referent]) -> list[Referent]:
    """Return the newest list, including its items that were shown again since, such as by reading them."""
    return newest_list(shown) or [r for r in shown if r.ordinal]


def _alone(group: Sequence[Referent], number: int) -> list[Referent]:
    return list(group) if len(group) == 1 and number == 1 else []


def _last_shown(shown: Sequence[Referent]) -> list[Referent]:
    """Return the items of the newest message; a mail that was found and then read counts once."""
    if not shown:
        return []
    newest = shown[-1]
    if not newest.shown_in:
        # Files that came together are as old as one another.
        together = [r for r in shown if not r.shown_in and (r.kind, r.at) == (newest.kind, newest.at)]
        return together if newest.kind is ReferentKind.FILE and newest.at is not None else [newest]
    return list({r.key: r for r in shown if r.shown_in == shown[-1].shown_in}.values())


def _by(person: Person, shown: Sequence[Referent], scene: Scene, again: Rephrase) -> Referent | None:
    ids = {c.contact_id for c in person.contacts}
    ids |= {c.contact_id for c in scene.request.contacts if person.address.casefold() in c.addresses}
    theirs = [r for r in shown if r.contact_id in ids]
    if len({r.contact_id for r in theirs}) > 1 or (theirs and len(ids) > 1):
        raise Asking(say("Which {name} do you mean?", name=person.said), _choices(theirs, scene, again))
    return _latest(theirs, shown) if theirs else None


def _latest(items: Sequence[Referent], shown: Sequence[Referent]) -> Referent:
    dated = [r for r in items if r.at is not None]
    return max(dated, key=lambda r: (r.at, -shown.index(r))) if dated else items[-1]


def _one(found: Sequence[Referent], scene: Scene, again: Rephrase, kinds: Collection[ReferentKind]) -> Referent:
    if len(found) == 1:
        return found[0]
    if not found:
        raise Asking(say(NONE_SHOWN[next(iter(kinds))] if set(kinds) <= NONE_SHOWN.keys() else NO_MAIL))
    raise Asking(say("Which one do you mean?"), _choices(found, scene, again))


def _choices(found: Sequence[Referent], scene: Scene, again: Rephrase) -> list[Choice]:
    choices: list[Choice] = []
    for referent in found:
        contact = scene.contact(referent)
        item = say_place(referent.ordinal) if referent.ordinal else referent.handle.capitalize()
        label = say("{item}, from {name}", item=item, name=contact.name) if contact else item
        choices.append(choice(label, again(referent.handle)))
    return choices


def side_of(referent: Referent) -> str:
    """Return whose mailbox holds a shown mail: `user` or `bot`. Mails that the butler reported are in its own."""
    return "user" if referent.tool.startswith("user_") else "bot"
