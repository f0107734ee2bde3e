"""Which dates of an order for again and again stay as they are once words have changed them.

A day that is named stays, an age moves on, as it is at the first reading. Where one of each was said of the same, what
the order is about would grow from time to time, so that is asked.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.many_more import More
from butler.orchestrator.embedded.narrowing import Narrowed
from butler.orchestrator.embedded.repeating import fixed_of
from butler.store.queries.rules import REPEAT

FIXED, SINCE, BEFORE = "fixed", "since", "before"
MIXED = phrase(
    "An age and a fixed day do not go together in what is done again and again: it would be about more each time. Say "
    "“never mind” and ask anew with one of them."
)


def repeated(said: More | Narrowed, args: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """When it is done again, where other dates stay fixed than before; nothing where these are the same.

    `args` are those of before, `new` what becomes of them. Raises `Asking`.
    """
    repeat = args.get(REPEAT)
    dates = said.dates(args, timedelta()) if repeat else {}
    if not repeat or not dates:
        return {}
    before: tuple[str, ...] = tuple(repeat.get(FIXED, ()))
    stays = fixed_of(dates, lambda by: said.dates(args, by))
    old = {name for name in dates if args.get(name)}
    if isinstance(said, Narrowed) and not args.get(BEFORE):
        # Of events that bear no dates, those from the day on are meant on which it is done.
        old.add(SINCE)
    fixed = {
        name: _fixed(name, was=name in before, stays=name in stays, new=name in new) if name in old else name in stays
        for name in dates
    }
    if BEFORE in new and BEFORE not in dates:
        # It was not said, and comes of where the time began.
        fixed[BEFORE] = SINCE in before
    after = [*(name for name in before if name not in fixed), *(name for name, stay in fixed.items() if stay)]
    return {REPEAT: {**repeat, FIXED: after}} if set(after) != set(before) else {}


def _fixed(name: str, *, was: bool, stays: bool, new: bool) -> bool:
    """Whether a date stays, of which one was said before, too. Raises `Asking`."""
    fixed = stays if new else was
    # Of an end the fixed one holds for ever, of a beginning the one that moves on.
    if was != stays and fixed == (name == SINCE):
        raise Asking(say(MIXED))
    return fixed
