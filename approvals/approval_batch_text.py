"""The outcomes of a digest card's members in words: their counts, and the state of a single one."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from approvals.outcome_text import act, in_seconds
from approvals.reason_words import details_in_words
from approvals.states import State
from approvals.visible import visible_line
from butler.contract.speech import phrase, say, say_many
from butler.store.queries.approvals import ApprovalRow

WHY_LIMIT = 60
_ENDED = (State.DONE, State.FAILED, State.DENIED, State.EXPIRED, State.SUPERSEDED, State.CANCELLED)
_SENDER = "user_mail_send"
"""The name of a tool that sends, for the longest counts."""


def counts(rows: Sequence[ApprovalRow]) -> str:
    """Count the outcomes, such as `35 sent, 2 denied`, in the order of the states."""
    found = Counter(row.state for row in rows)
    return ", ".join(_counted(found[state], state, rows[0].tool) for state in State if found[state])


def longest_counts() -> str:
    """Return counts about as long as any can be."""
    return ", ".join(_counted(9999, state, _SENDER) for state in _ENDED)


def state_words(row: ApprovalRow, now: datetime) -> str:
    """Return the state of one member in a few words."""
    state = State(row.state)
    if state is State.APPROVED and row.execute_at is not None and row.execute_at > now:
        wait = in_seconds(row.execute_at - now)
        return act(
            row.tool,
            say("approved, sending in {wait}", wait=wait),
            say("approved, doing it in {wait}", wait=wait),
        )
    if state is State.UNKNOWN:
        return act(
            row.tool,
            say("not known whether sent, see its own card"),
            say("not known whether done, see its own card"),
        )
    sent, done = _WORDS[state]
    word = act(row.tool, say(sent), say(done))
    if state in {State.FAILED, State.EXECUTING} and row.detail:
        why = visible_line(details_in_words(row.detail))
        return f"{word} ({why if len(why) <= WHY_LIMIT else f'{why[: WHY_LIMIT - 1]}…'})"
    return word


def _counted(count: int, state: State, tool: str) -> str:
    sent, done = _COUNTED[state]
    return act(tool, sent(count), done(count))


_Said = Callable[[int], str]


def _alike(one: str) -> tuple[str, str]:
    return one, one


def _counted_alike(said: _Said) -> tuple[_Said, _Said]:
    return said, said


_WORDS: Mapping[State, tuple[str, str]] = {
    State.PENDING: _alike(phrase("waiting")),
    State.APPROVED: _alike(phrase("approved")),
    State.EXECUTING: (phrase("being sent"), phrase("being done")),
    State.DONE: (phrase("sent"), phrase("done")),
    State.FAILED: _alike(phrase("failed")),
    State.DENIED: _alike(phrase("denied")),
    State.EXPIRED: _alike(phrase("expired")),
    State.SUPERSEDED: _alike(phrase("withdrawn")),
    State.CANCELLED: _alike(phrase("undone")),
}
"""Texts for a tool that sends, and for any other tool."""
_COUNTED: Mapping[State, tuple[_Said, _Said]] = {
    State.PENDING: _counted_alike(lambda n: say_many(n, "{count} waiting", "{count} waiting")),
    State.APPROVED: _counted_alike(lambda n: say_many(n, "{count} approved", "{count} approved")),
    State.EXECUTING: (
        lambda n: say_many(n, "{count} being sent", "{count} being sent"),
        lambda n: say_many(n, "{count} being done", "{count} being done"),
    ),
    State.DONE: (
        lambda n: say_many(n, "{count} sent", "{count} sent"),
        lambda n: say_many(n, "{count} done", "{count} done"),
    ),
    State.FAILED: _counted_alike(lambda n: say_many(n, "{count} failed", "{count} failed")),
    State.UNKNOWN: _counted_alike(lambda n: say_many(n, "{count} unknown", "{count} unknown")),
    State.DENIED: _counted_alike(lambda n: say_many(n, "{count} denied", "{count} denied")),
    State.EXPIRED: _counted_alike(lambda n: say_many(n, "{count} expired", "{count} expired")),
    State.SUPERSEDED: _counted_alike(lambda n: say_many(n, "{count} withdrawn", "{count} withdrawn")),
    State.CANCELLED: _counted_alike(lambda n: say_many(n, "{count} undone", "{count} undone")),
}
"""The same texts with counts."""
