"""Decides which dates of an automation's order stay fixed after words have changed them.

A named day stays fixed, an age moves on, as at the first reading. Where both were said of the same limit, the order
would cover more each time, so the owner is asked.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from butler.contract.speech import phrase, say
from butler.orchestrator.edits.mail_changes import MailChange
from butler.orchestrator.edits.narrowing import Narrowed
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.repeating import fixed_of
from butler.store.queries.rules import REPEAT

FIXED, SINCE, BEFORE = "fixed", "since", "before"
MIXED = phrase(
    "An age and a fixed day do not go together in what is done again and again: it would be about more each time. Say "
    "“never mind” and ask anew with one of them."
)


def repeated(said: MailChange | Narrowed, args: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return the new schedule if other dates stay fixed than before; else nothing.

    `args` are the earlier arguments, `new` the changed ones. Raises `Asking`.
    """
    repeat = args.get(REPEAT)
    dates = said.dates(args, timedelta()) if repeat else {}
    if not repeat or not dates:
        return {}
    before: tuple[str, ...] = tuple(repeat.get(FIXED, ()))
    stays = fixed_of(dates, lambda by: said.dates(args, by))
    old = {name for name in dates if args.get(name)}
    if isinstance(said, Narrowed) and not args.get(BEFORE):
        # For events without dates, those from the day of execution on are meant.
        old.add(SINCE)
    fixed = {
        name: _fixed(name, was=name in before, stays=name in stays, new=name in new) if name in old else name in stays
        for name in dates
    }
    if BEFORE in new and BEFORE not in dates:
        # It was not said; it follows from where the time began.
        fixed[BEFORE] = SINCE in before
    after = [*(name for name in before if name not in fixed), *(name for name, stay in fixed.items() if stay)]
    return {REPEAT: {**repeat, FIXED: after}} if set(after) != set(before) else {}


def _fixed(name: str, *, was: bool, stays: bool, new: bool) -> bool:
    """Return whether a date that was given before stays fixed; raise `Asking` if both kinds would mix."""
    fixed = stays if new else was
    # Of two ends the fixed one would hold for ever, of two beginnings the moving one.
    if was != stays and fixed == (name == SINCE):
        raise Asking(say(MIXED))
    return fixed
