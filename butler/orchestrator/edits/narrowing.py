"""Narrows a card about many events or cards of a board: `only those with Anna`, `only the overdue ones`.

Whoever wants others asks anew.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any

from butler.contract.speech import phrase, say, say_list
from butler.orchestrator.edits.narrower import (
    MORE,
    NOT_BOTH,
    NOTHING_LEFT,
    all_words,
    as_of,
    later,
    not_empty,
    same,
    within,
)
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.scene import Scene

KEEP, NAMED = "keep", frozenset({"events", "cards"})
NOT_HERE = phrase("It is about the very ones that were named. Say anew which ones you mean.")
NAMES = ("calendar", "board", "in_list", "label", "assigned")
DATES = ("since", "before", "due_before")
AHEAD = timedelta(366)
"""How far events are looked for where no end is said."""

Said = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What has to hold besides, as arguments of the tool."""

    said: Said
    scene: Scene
    again: Callable[[Scene], Said | None]
    """The same words read at another time."""
    weekday: bool = False
    """Whether a day is named by its weekday alone."""
    today: bool = False
    """Whether days are counted from the one on which it is said."""

    def changed(self, args: Said) -> dict[str, Any]:
        """The arguments that become others, with their new values: never about more than before. Raises `Asking`."""
        said = self._inside(args)
        if NAMED & {name for name in args if args[name]}:
            raise Asking(say(NOT_HERE))
        new = {name: value for name, value in said.items() if name not in {*DATES, "people"}}
        for name in NAMES:
            if name in new:
                new[name] = same(args.get(name) or "", new[name])
        if "words" in new:
            new["words"] = all_words(args.get("words") or "", new["words"])
        if KEEP in new:
            new[KEEP] = list(dict.fromkeys((*(args.get(KEEP) or ()), *new[KEEP])))
        if "people" in said:
            new["people"] = _people(args.get("people") or (), said["people"])
        _contradicted(args, new)
        new |= self._times(args, said)
        return {name: value for name, value in new.items() if value != args.get(name)}

    def dates(self, args: Said, by: timedelta) -> dict[str, str]:
        """The dates that the words alone name when they are said so much later."""
        del args
        said = self.again(later(self.scene, by)) or {}
        return {name: said[name] for name in DATES if name in said}

    def _inside(self, args: Said) -> Said:
        """What was said, read within the time that it is about: a Wednesday is the one of that week."""
        since, before = _bound(args.get("since")), _bound(args.get("before"))
        if since is None or since.date() <= self.scene.now().date():
            return self.said
        one_day = before is not None and before <= datetime.combine(since.date() + timedelta(1), time(0))
        hours = one_day and not self.today and "T" in f"{self.said.get('since')}{self.said.get('before')}"
        return (self.again(as_of(self.scene, since.date())) if self.weekday or hours else None) or self.said

    def _times(self, args: Said, said: Said) -> dict[str, Any]:
        new: dict[str, Any] = {}
        if "due_before" in said:
            new["due_before"] = _first(args.get("due_before"), said["due_before"])
        if "since" not in said and "before" not in said:
            return new
        since, before = args.get("since"), args.get("before")
        start = since or ("" if before else self.scene.now().date().isoformat())
        old = (_bound(start), _bound(before) if before else _ahead(start))
        last, first = _last(start, said.get("since")), _first(before, said.get("before"))
        if first is None and last and _bound(last) != old[0] and old[1] is not None:
            # Without an end it would go on for longer than before, as it begins later.
            first = old[1].date().isoformat()
        not_empty(_bound(last), _bound(first), old)
        return new | ({"since": last} if last else {}) | ({"before": first} if first else {})


def _contradicted(args: Said, new: Said) -> None:
    """Asks where nothing could hold both, or where more would be meant."""
    if new.get("series") and not args.get("series"):
        raise Asking(say(MORE))
    if new.get("organiser") and args.get("organiser") not in {None, "", new["organiser"]}:
        raise Asking(say(NOTHING_LEFT))
    if "all_day" in new and args.get("all_day") not in {None, new["all_day"]}:
        raise Asking(say(NOTHING_LEFT))


def _people(old: Sequence[str], said: list[str]) -> list[str]:
    found = list(within(old, said)) if old else said
    if not found:
        raise Asking(say(NOT_BOTH, old=say_list(old), said=say_list(said)))
    return found


def _bound(written: str | None) -> datetime | None:
    return datetime.fromisoformat(written) if written else None


def _ahead(start: str | None) -> datetime | None:
    return datetime.fromisoformat(start) + AHEAD if start else None


def _last(old: str | None, said: str | None) -> str | None:
    """The later of two bounds, as it was written; the old one where they are the same."""
    return max((one for one in (old, said) if one), key=datetime.fromisoformat, default=None)


def _first(old: str | None, said: str | None) -> str | None:
    return min((one for one in (old, said) if one), key=datetime.fromisoformat, default=None)
