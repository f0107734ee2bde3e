"""Removes what the owner has forgotten from the rows that copied it: results of steps, answers, conversation subjects.

The record that something was done stays, without its content. Rows are found if they name the source, or hold several
of its words in succession; a model's free retelling in another plan cannot be found. The original (a mail, a chat's
message, a file) and what the owner approved stay as they are.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

import sqlalchemy as sa

from butler.contract.speech import phrase, say
from butler.store.queries import progress
from butler.store.tables import conversations, notes, outbox, plan_steps

IN_A_ROW: Final = 5
"""The number of successive words of a source by which a text is recognized as its."""
SHORT: Final = 3
"""A shorter text than `IN_A_ROW` words, with at least this many or a digit, is recognized if it stands alone."""
AT_ONCE: Final = 500
FORGOTTEN: Final = phrase("🗑 This was made of something that you have had forgotten.")
_WORD: Final = re.compile(r"\w+")
_ESCAPE: Final = re.compile(r"\\.")
_KEPT: Final = frozenset({"source_id", "kind", "at", "added_at", "chunk_id"})
"""The fields that stay in a record that names the source: its identity, never its content."""


class ForgottenTexts:
    """The forgotten sources, by id, with their titles and texts."""

    def __init__(self, sources: Mapping[str, Sequence[str]]) -> None:
        self.ids = frozenset(sources)
        every = [tuple(_words(text)) for texts in sources.values() for text in texts]
        self._runs = frozenset(run for words in every for run in _runs(words))
        self._short = frozenset(
            words
            for words in every
            if SHORT <= len(words) < IN_A_ROW or (words and any(any(map(str.isdigit, word)) for word in words))
        )
        self._named = [json.dumps(one, ensure_ascii=False)[1:-1] for one in self.ids]
        # The longest word of each run: a text with none of them has no run.
        self._marks = frozenset(max(run, key=len) for run in (*self._runs, *self._short))

    def may_be_in(self, stored: str) -> bool:
        """Return whether a row's JSON must be checked: quick, without false negatives."""
        if "\\u" in stored or any(one in stored for one in self._named):
            # A word with an escaped letter cannot be recognized in the stored row.
            return True
        return not self._marks.isdisjoint(_words(_ESCAPE.sub(" ", stored)))

    def are_in(self, text: str) -> bool:
        """Return whether a text has words of theirs in a row, or is one of their short texts."""
        found = tuple(_words(text))
        return found in self._short or any(run in self._runs for run in _runs(found))


def scrub(connection: sa.Connection, sources: Mapping[str, Sequence[str]]) -> None:
    """Remove the texts of these sources (id, title and texts) from every row that does not need them."""
    texts = ForgottenTexts(sources)
    plans = _scrub_steps(connection, texts)
    _scrub_outbox(connection, texts, plans)
    _scrub_conversations(connection, texts)
    # A note exists nowhere else: delete it.
    kept = [one.removeprefix("note:") for one in texts.ids if one.startswith("note:")]
    for part in _parts(kept):
        connection.execute(notes.delete().where(notes.c.note_id.in_(part)))


def without(value: Any, texts: ForgottenTexts) -> Any:
    """Return a JSON value without anything of these sources."""
    match value:
        case str():
            return "" if value not in texts.ids and texts.are_in(value) else value
        case list():
            return [without(one, texts) for one in cast("list[Any]", value)]
        case dict():
            record = cast("dict[str, Any]", value)
            source = record.get("source_id")
            if source in texts.ids:
                return {key: one if key in _KEPT else _blank(one) for key, one in record.items()}
            # What another source says is its own, even if both share a greeting or a signature.
            return {key: one if source and isinstance(one, str) else without(one, texts) for key, one in record.items()}
        case _:
            return value


def _blank(value: Any) -> Any:
    """Return an empty value of the same type, so that readers of the record find its fields."""
    match value:
        case str():
            return ""
        case list():
            return list[Any]()
        case dict():
            return dict[str, Any]()
        case _:
            return value


def _scrub_steps(connection: sa.Connection, texts: ForgottenTexts) -> set[str]:
    """Scrub the plans that used them."""
    table, plans = plan_steps.c, set[str]()
    for plan_id, step_id, stored in _stored(connection, texts, table.outcome, table.plan_id, table.step_id):
        outcome = json.loads(stored)
        if (scrubbed := without(outcome, texts)) != outcome:
            plans.add(plan_id)
            this = (table.plan_id == plan_id, table.step_id == step_id)
            connection.execute(plan_steps.update().where(*this).values(outcome=scrubbed))
    return plans


def _scrub_outbox(connection: sa.Connection, texts: ForgottenTexts, plans: set[str]) -> None:
    """Scrub whole messages: the rest of an answer could say something else."""
    table = outbox.c
    keys = {key for plan in plans for key in (plan, progress.key_of(plan))}
    answers = [
        message_id
        for part in _parts(sorted(keys))
        for message_id in connection.execute(sa.select(table.message_id).where(table.dedup_key.in_(part))).scalars()
    ]
    others = [
        message_id
        for message_id, stored in _stored(connection, texts, table.message, table.message_id)
        if texts.are_in(_said(json.loads(stored)))
    ]
    for message_id in {*answers, *others}:
        message = {"text": [{"text": say(FORGOTTEN)}]}
        connection.execute(outbox.update().where(table.message_id == message_id).values(message=message))


def _said(message: Mapping[str, Any]) -> str:
    return "".join(str(span.get("text", "")) for span in message.get("text") or ())


def _scrub_conversations(connection: sa.Connection, texts: ForgottenTexts) -> None:
    table = conversations.c
    for session_id, stored in _stored(connection, texts, table.state, table.session_id):
        state = json.loads(stored)
        kept = {
            "accumulated_context": [
                one for one in state.get("accumulated_context") or () if one.get("source_id") not in texts.ids
            ],
            "history": [one for one in state.get("history") or () if not texts.are_in(str(one.get("content", "")))],
        }
        scrubbed = without(state | kept, texts)
        if scrubbed != state:
            this = conversations.update().where(table.session_id == session_id)
            connection.execute(this.values(state=scrubbed))


def _stored(
    connection: sa.Connection, texts: ForgottenTexts, column: sa.Column[Any], *keys: sa.Column[Any]
) -> list[tuple[Any, ...]]:
    """Return the rows that may hold them: their keys, and the column's JSON as stored."""
    found = connection.execute(sa.select(*keys, sa.cast(column, sa.Text)).where(column.is_not(None)))
    return [tuple(row) for row in found if texts.may_be_in(row[-1])]


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[at : at + IN_A_ROW]) for at in range(len(words) - IN_A_ROW + 1))


def _parts(values: Sequence[str]) -> Iterator[Sequence[str]]:
    return (values[at : at + AT_ONCE] for at in range(0, len(values), AT_ONCE))
