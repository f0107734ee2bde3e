"""A run's progress as one message that is edited: a bar, the pace and the time left; at its end, the outcome."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

import sqlalchemy as sa

from approvals.buttons import new_button
from approvals.reason_words import details_in_words
from approvals.rule_actions import REVOKE
from approvals.visible import visible_line
from butler.bulk.contexts import context_of
from butler.bulk.follow_up_runs import is_put_back
from butler.bulk.listing import short_line
from butler.bulk.registry import BulkAdapters
from butler.contract.bulk import BulkWords
from butler.contract.card import Button, OwnerMessage, Span, Style, plain
from butler.contract.reasons import Reason
from butler.contract.speech import phrase, say, say_many, say_number
from butler.store.queries import bulk, outbox, rules
from butler.store.queries.bulk import ItemState, RunRow, RunState
from butler.store.queries.buttons import ButtonKind
from butler.store.queries.outbox import OutboxRow
from butler.store.queries.rules import RuleRow, RuleState

BAR = 12
SHOWN_FAILURES = 5
STOP_RULE = phrase("Stop the rule")
FURTHER_DOWN = phrase("How far it is stands further down.")
NAMELESS = phrase("Many things at once")
"""The name of a run whose adapter is gone."""


class BulkVerb(StrEnum):
    """The verb of a run's button."""

    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"
    UNDO = "undo"
    RETRY = "retry"
    FILE = "file"


LABELS = {
    BulkVerb.PAUSE: phrase("Pause"),
    BulkVerb.RESUME: phrase("Resume"),
    BulkVerb.STOP: phrase("Stop"),
    BulkVerb.UNDO: phrase("Undo"),
    BulkVerb.RETRY: phrase("Retry failed"),
    BulkVerb.FILE: phrase("As a file"),
}


@dataclass(frozen=True, slots=True)
class RunSpeed:
    """How fast a run goes, and how long it will take."""

    a_minute: int
    left: timedelta


class ProgressMessages:
    """Draws a run's message, within the transactions that change the run."""

    def __init__(self, adapters: BulkAdapters, owner: Callable[[], str]) -> None:
        """`owner` returns who may tap, such as `telegram:42`."""
        self._adapters, self._owner = adapters, owner

    def draw(
        self,
        connection: sa.Connection,
        run_id: str,
        now: datetime,
        pace: RunSpeed | None = None,
        note: Reason | None = None,
    ) -> None:
        """Draw the run's progress, or its end; `note` is the reason for a delay."""
        run = bulk.get(connection, run_id)
        if run is None or not run.chat:
            return
        counts = bulk.counts(connection, run_id)
        stands = outbox.get(connection, run.message_id) if run.message_id else None
        text = self._text(connection, run, counts, pace, note)
        verbs = self._verbs(connection, run, counts)
        message = OwnerMessage(text=text, buttons=self._buttons(connection, run, verbs, stands, now))
        if stands is None:
            self._say(connection, run, message, f"bulk:{run_id}", now)
        elif stands.state == outbox.REFUSED:
            # The message cannot be seen any more: send a new one to the owner, once for each state of the run.
            self.bring_down(connection, run, self._owner() or run.chat, f"bulk:{run_id}:{run.state}", now)
        else:
            outbox.redraw(connection, stands.message_id, message, now)
        if run.undo_of is not None and run.state in {RunState.STOPPED, RunState.DONE}:
            # The undo run's message reports how much is undone, and its button undoes the rest.
            self.draw(connection, run.undo_of, now)

    @property
    def adapters(self) -> BulkAdapters:
        """The adapters of all modules, by name."""
        return self._adapters

    def can_undo(self, connection: sa.Connection, run: RunRow) -> bool:
        """Return whether the run's message has an Undo button."""
        return BulkVerb.UNDO in self._verbs(connection, run, bulk.counts(connection, run.run_id))

    def bring_down(self, connection: sa.Connection, run: RunRow, chat: str, key: str, now: datetime) -> None:
        """Send the message anew in the owner's current chat; the earlier message says so, and loses its buttons."""
        if outbox.by_key(connection, key) is not None:
            return
        if run.message_id is not None:
            outbox.redraw(connection, run.message_id, OwnerMessage(text=plain(say(FURTHER_DOWN))), now)
        run = replace(run, chat=chat)
        bulk.set_chat(connection, run.run_id, chat)
        counts = bulk.counts(connection, run.run_id)
        text = self._text(connection, run, counts, None, None)
        buttons = self._buttons(connection, run, self._verbs(connection, run, counts), None, now)
        self._say(connection, run, OwnerMessage(text=text, buttons=buttons), key, now)

    def _say(self, connection: sa.Connection, run: RunRow, message: OwnerMessage, key: str, now: datetime) -> None:
        message_id = outbox.add(connection, run.chat, message, now=now, dedup_key=key)
        bulk.set_progress_message(connection, run.run_id, message_id)

    def _text(
        self,
        connection: sa.Connection,
        run: RunRow,
        counts: Mapping[ItemState, int],
        pace: RunSpeed | None,
        note: Reason | None,
    ) -> tuple[Span, ...]:
        words = words_of(self._adapters, run)
        done, failed = counts[ItemState.DONE], counts[ItemState.FAILED]
        if run.state in {RunState.DONE, RunState.STOPPED}:
            return _ended(connection, run, words, counts)
        head = say("{doing}: paused", doing=words.doing) if run.state is RunState.PAUSED else words.doing
        lines = [f"\n{_bar(done + failed, run.total)}"]
        lines.append("\n" + say("{done} of {total}", done=say_number(done), total=say_number(run.total)))
        if failed:
            lines.append(say_many(failed, ", 1 could not be", ", {count} could not be"))
        if pace is not None and run.state is RunState.RUNNING:
            lines.append(
                "\n" + say("{count} a minute, {left} left", count=say_number(pace.a_minute), left=spanned(pace.left))
            )
        if why := (note,) if note else run.detail:
            lines.append(f"\n{details_in_words(why)}")
        if run.remark:
            lines.append(f"\n{details_in_words(run.remark)}")
        return (Span(text=head, style=Style.BOLD), Span(text="".join(lines)))

    def _buttons(
        self,
        connection: sa.Connection,
        run: RunRow,
        verbs: tuple[BulkVerb, ...],
        stands: OutboxRow | None,
        now: datetime,
    ) -> tuple[tuple[Button, ...], ...]:
        """Return the present buttons if they are the same, so that a message that is redrawn often keeps its own."""
        rule = _rule_of(connection, run)
        labels = [say(LABELS[verb]) for verb in verbs] + ([say(STOP_RULE)] if rule else [])
        if stands is not None and [one.label for line in stands.message.buttons for one in line] == labels:
            return stands.message.buttons
        lines = [tuple(self._button(connection, run, verb, now) for verb in verbs)] if verbs else []
        lines += [(self._stop_rule(connection, run, rule, now),)] if rule else []
        return tuple(lines)

    def _stop_rule(self, connection: sa.Connection, run: RunRow, rule: RuleRow, now: datetime) -> Button:
        """Return the button that revokes the rule, as the one in the list of rules does."""
        kind, owner = ButtonKind.RULE, self._owner()
        about = (kind, rule.rule_id, rule.revision, REVOKE, say(STOP_RULE))
        return new_button(connection, *about, owner=owner, chat=run.chat, now=now)

    def _verbs(self, connection: sa.Connection, run: RunRow, counts: Mapping[ItemState, int]) -> tuple[BulkVerb, ...]:
        match run.state:
            case RunState.RUNNING:
                return (BulkVerb.PAUSE, BulkVerb.STOP)
            case RunState.PAUSED:
                return (BulkVerb.RESUME, BulkVerb.STOP)
            case _:
                return self._afterwards(connection, run, counts)

    def _afterwards(
        self, connection: sa.Connection, run: RunRow, counts: Mapping[ItemState, int]
    ) -> tuple[BulkVerb, ...]:
        later = bulk.of_run(connection, run.run_id)
        verbs: list[BulkVerb] = []
        undone = is_put_back(later)
        adapter = self._adapters.find(run.adapter)
        inverse = adapter.inverse(context_of(run)) if adapter is not None else None
        if (
            (counts[ItemState.DONE] or counts[ItemState.INFLIGHT])
            and inverse is not None
            and not undone
            and run.undo_of is None
        ):
            verbs.append(BulkVerb.UNDO)
        if counts[ItemState.FAILED] and not any(one.retry_of for one in later):
            verbs.append(BulkVerb.RETRY)
        verbs.append(BulkVerb.FILE)
        return tuple(verbs)

    def _button(self, connection: sa.Connection, run: RunRow, verb: BulkVerb, now: datetime) -> Button:
        return new_button(
            connection,
            ButtonKind.BULK,
            run.run_id,
            1,
            verb,
            say(LABELS[verb]),
            owner=self._owner(),
            chat=run.chat,
            now=now,
        )


def words_of(adapters: BulkAdapters, run: RunRow) -> BulkWords:
    """Return the words for a run's action."""
    adapter = adapters.find(run.adapter)
    if adapter is None:
        return BulkWords(say(NAMELESS), say(NAMELESS), say(NAMELESS))
    return adapter.words(context_of(run))


def _ended(
    connection: sa.Connection, run: RunRow, words: BulkWords, counts: Mapping[ItemState, int]
) -> tuple[Span, ...]:
    done, failed, unclear = counts[ItemState.DONE], counts[ItemState.FAILED], counts[ItemState.INFLIGHT]
    head = say("{did}: {done} of {total}", did=words.did, done=say_number(done), total=say_number(run.total))
    lines: list[str] = []
    left = counts[ItemState.TODO]
    if run.state is RunState.STOPPED and left:
        lines.append(say_many(left, "Stopped; 1 was left as it is.", "Stopped; {count} were left as they are."))
    if back := _put_back(connection, run):
        lines.append(say_many(back, "1 of them was put back.", "{count} of them were put back."))
    if run.arrived:
        lines.append(
            say_many(
                run.arrived,
                "1 more of that kind came meanwhile, and is as it was.",
                "{count} more of that kind came meanwhile, and are as they were.",
            )
        )
    if unclear:
        lines.append(say_many(unclear, "Of 1 it is not known.", "Of {count} it is not known."))
    if run.remark:
        lines.append(details_in_words(run.remark))
    if failed:
        lines.append(say_many(failed, "1 could not be:", "{count} could not be:"))
        some = bulk.in_state(connection, run.run_id, ItemState.FAILED, SHOWN_FAILURES)
        lines += [
            f"• {visible_line(item.name or item.item_id)}: {visible_line(short_line(details_in_words(item.detail)))}"
            for item in some
        ]
    return (Span(text=head, style=Style.BOLD), Span(text="".join(f"\n{line}" for line in lines)))


def _put_back(connection: sa.Connection, run: RunRow) -> int:
    """Return how many of a run's items were undone, by one undo run or by several."""
    over = [one for one in bulk.of_run(connection, run.run_id) if one.undo_of == run.run_id and one.ended_at]
    return sum(bulk.counts(connection, one.run_id)[ItemState.DONE] for one in over)


def _rule_of(connection: sa.Connection, run: RunRow) -> RuleRow | None:
    """Return the rule that began a run, while it can be stopped."""
    rule = rules.get(connection, run.rule_id) if run.rule_id else None
    return rule if rule is not None and rule.state in {RuleState.ACTIVE, RuleState.DISABLED} else None


def _bar(done: int, total: int) -> str:
    part = done / total if total else 1.0
    full = int(part * BAR)
    return f"{'▰' * full}{'▱' * (BAR - full)} {int(part * 100)} %"


def spanned(left: timedelta) -> str:
    """Put a remaining time into words."""
    minutes = -(-left // timedelta(minutes=1))
    if minutes <= 1:
        return say("a minute or less")
    if minutes < 90:  # noqa: PLR2004 - from here on hours read better
        return say_many(minutes, "1 minute", "{count} minutes")
    return say_many(round(minutes / 60), "1 hour", "{count} hours")
