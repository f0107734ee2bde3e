"""Recurring orders: what the card says about the repetition, and the rule that its approval saves.

The rule is a standing rule of the approvals, so that `/rules` lists, disables and revokes it. All that it allows is in
its pinned arguments, which its digest covers; only its next due time is stored beside it.
"""

import json
import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.frozen import canonical
from approvals.rule_proposals import noted
from butler.contract.bulk import BulkSnapshot
from butler.contract.bulk_repeat import Days, Recurrence, Repeat
from butler.contract.bulk_tool import BulkArgs
from butler.contract.speech import phrase, say, say_date, say_list, say_many, say_number
from butler.contract.tools import ZONE
from butler.provenance import Labels, is_tainted, join, load, untrusted_sources
from butler.store.queries import audit, bulk_schedules, rules, work
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.rules import REPEAT, RuleRow, RuleState
from butler.tool_invoker import ACCOUNT

LEAST = 50
"""The lowest limit of a rule; the limit is otherwise twice the number of items when the rule was made."""
LASTS = timedelta(days=365)

SHOWN_TIMES = 3
NAMED_ONES = phrase(
    "What is done again and again is found anew each time, so say which by whose they are, what they say or how old "
    "they are."
)
NOT_YOURS = phrase("a rule can only be made by your own words, and {sources} had a hand in this one")
NOBODYS = phrase("a rule can only be made by your own words, and nobody knows whose these are")
SNAPSHOT = "snapshot"


def repeat_of(args: object) -> Repeat | None:
    """Return a call's recurrence; None if it has none."""
    return args.repeat if isinstance(args, BulkArgs) else None


def not_the_owners(*origins: Labels) -> str:
    """Return who besides the owner influenced a recurring order, which forbids it; empty if nobody did.

    Each of `origins` belongs to one argument, or to all together.
    """
    tainted = list(filter(is_tainted, origins))
    sources = untrusted_sources(join(tainted))
    if sources:
        return say(NOT_YOURS, sources=say_list(sources))
    return say(NOBODYS) if tainted else ""


def settled(args: BulkArgs, repeat: Repeat, count: int, most: int | None, now: datetime, zone: ZoneInfo) -> Recurrence:
    """Build the recurrence of an order that has `count` items now, if `most` are allowed in one run.

    Raises `ValueError` with a sentence if that is impossible.
    """
    today = now.astimezone(zone).date()
    if args.names_some():
        raise ValueError(say(NAMED_ONES))
    if most is not None and repeat.most > most:
        raise ValueError(say("At most {most} may be done at once.", most=say_number(most)))
    dated = args.dated()
    if wrong := [name for name in repeat.fixed if name not in dated]:
        raise ValueError(say("There is no date that would stay as it is: {names}.", names=", ".join(wrong)))
    allowed = repeat.most or max(LEAST, 2 * count)
    made = Recurrence(
        **repeat.model_dump(include=set(Days.model_fields)),
        most=allowed if most is None else min(allowed, most),
        until=repeat.until or today + LASTS,
        zone=zone.key,
        since=today,
        moving=tuple(name for name in dated if name not in repeat.fixed),
        found=count,
    )
    if made.next_time(now) is None:
        raise ValueError(say("That would never be done: it ends on {day}.", day=say_date(made.until)))
    return made


def shown(snapshot: BulkSnapshot, recurrence: Recurrence, args: BulkArgs, now: datetime) -> BulkSnapshot:
    """Return the snapshot with what its card says about the recurrence."""
    times = recurrence.times(now)
    following = [recurrence.local(at).date() for at, _ in zip(times, range(SHOWN_TIMES), strict=False)]
    (_, many), *others = snapshot.facts
    items = [
        (say("When"), say("{days} ({zone})", days=recurrence.words(), zone=recurrence.zone)),
        (say("Next"), ", ".join(map(say_date, following))),
        (say("At most"), _each_time(recurrence.most)),
        (say("Last day"), say_date(recurrence.until)),
        (say("To stop it"), say("/rules, or Stop the rule under each time that it was done")),
        (say("Right now"), many),
    ]
    if recurrence.moving:
        ages = recurrence.ages(args.model_dump(mode="json"))
        items.insert(1, (say("Moves on"), "; ".join(ages)))
    return snapshot.model_copy(update={"facts": (*items, *others), "repeat": recurrence})


def _each_time(most: int) -> str:
    return say_many(most, "1 each time; of more you are asked", "{count} each time; of more you are asked")


def save(
    connection: sa.Connection, approval: ApprovalRow, snapshot: BulkSnapshot, recurrence: Recurrence, now: datetime
) -> RuleRow | str:
    """Save the approved rule; return it, or the rule that an earlier try saved, or why it cannot be saved."""
    if (made := rules.made_from(connection, approval.approval_id)) is not None:
        return made
    if why := not_the_owners(*map(load, approval.labels.values())):
        return why
    rule = RuleRow(
        rule_id=uuid.uuid4().hex,
        number=rules.next_number(connection),
        revision=1,
        state=RuleState.ACTIVE,
        tool=approval.tool,
        account=approval.account,
        chat="",  # A recurring run reports to the owner's own chat, whichever that is by then.
        recipients=(),
        pinned=_pinned(json.loads(approval.args), recurrence, account=approval.account),
        expires_at=recurrence.over(),
        max_uses=None,
        made_from=approval.approval_id,
        created_at=now,
        updated_at=now,
    )
    rules.insert(connection, rule)
    due = recurrence.next_time(now)
    bulk_schedules.add(connection, rule.rule_id, due or recurrence.over(), now)
    work.add(connection, rules.END_RULE, rule.rule_id, now=now, run_at=rule.expires_at)
    data = noted(rule) | {"digest": snapshot.digest, "count": snapshot.count}
    audit.append(connection, "rule.saved", rule.rule_id, approval.decided_by or "", data, now)
    return rule


def _pinned(args: Mapping[str, Any], recurrence: Recurrence, *, account: str) -> dict[str, str]:
    apart = {SNAPSHOT, REPEAT, ZONE, *([ACCOUNT] if account else [])}
    kept = {name: canonical(value) for name, value in args.items() if name not in apart}
    return kept | {REPEAT: canonical(recurrence.model_dump(mode="json"))}
