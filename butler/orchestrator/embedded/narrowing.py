"""What is said further of many events or cards: `only those with Anna`, `only the overdue ones`.

It says of which of them only; who wants others asks anew.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from butler.orchestrator.embedded import agenda_many, card_words
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.scene import Scene

THINGS = "(ones|those|events|meetings|appointments|cards|tasks)"
ONLY = phrases(f"[and|but|please] (only|just) [the] [{THINGS[1:-1]}]", "[and|but] nothing but [the ones|those]")
ONES = phrases(THINGS)
CALENDAR, BOARDS = "user_calendar_", "user_trello_"


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What has to hold besides, as arguments of the tool."""

    said: Mapping[str, Any]

    def changed(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments that become others, with their new values; words are looked for besides the ones before."""
        words = f"{args.get('words') or ''} {self.said.get('words') or ''}".strip()
        new = {**self.said, **({"words": words} if self.said.get("words") else {})}
        return {name: value for name, value in new.items() if value != args.get(name)}


def narrowed(words: Tail, scene: Scene, tool: str, *, replied: bool = False) -> Narrowed | None:
    """Read words that go on from a request for many events or cards; None where they are no such words.

    `replied`: they were said to the card, so that the `only` may be left out. Raises `Asking`.
    """
    bare = words.bare()
    start = bare.take(ONLY)
    if start is None and not replied:
        return None
    here = start or bare
    read = _events if tool.startswith(CALENDAR) else _cards if tool.startswith(BOARDS) else None
    said = read(here, scene) if read is not None and not here.done else None
    return Narrowed(said) if said else None


def _events(here: Tail, scene: Scene) -> dict[str, Any] | None:
    wanted = agenda_many.Wanted()
    if (all_day := here.take(agenda_many.ALL_DAY)) is not None:
        wanted, here = agenda_many.Wanted(all_day=True), all_day.past(ONES)
    while not here.done:
        found = agenda_many.filter_at(wanted, here, scene, quiet=False)
        if found is None or found[1].at <= here.at:
            return None
        wanted, here = found[0], found[1].past(ONES)
    return wanted.args(scene)


def _cards(here: Tail, scene: Scene) -> dict[str, Any] | None:
    end = here.end
    if here.end - here.at > 1 and here.tokens[end - 1].word == "ones":
        here = here.until(here.skip(end - 1 - here.at))
    which = card_words.filters(card_words.Which(), here, scene)
    return dict(which.args()) if which is not None and which.due_from is None else None
