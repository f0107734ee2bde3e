"""Replies to cards: what they change, and that none of them is ever a yes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler.orchestrator.edits.card_content import CardContent
from butler.orchestrator.edits.reading import Edit, Unsure, Word
from butler.orchestrator.planning.plan_types import Unclear
from tests.orchestrator.edits.cards import ARCHIVE, DINNER, LATE, changed, outcome, says
from tests.orchestrator.edits.phrases import PHRASES

PIECES = (
    "yes",
    "no",
    "but",
    "make it",
    "8pm",
    "ten",
    "change",
    "to",
    "Bob",
    "and",
    ",",
    ".",
    "“",
    "”",
    "text:",
    "\n",
    "x",
)


@pytest.mark.parametrize(("sheet", "reply", "expected"), PHRASES, ids=[reply for _, reply, _ in PHRASES])
def test_a_reply_is_read_as_its_owner_means_it(sheet: CardContent, reply: str, expected: str) -> None:
    found = outcome(reply, sheet)
    if expected.startswith("?"):
        assert found.startswith(expected)
    else:
        assert found == expected


@pytest.mark.parametrize("reply", ["text: hello", "make it 8pm", "“hello”", "sign it Robin", "hello"])
def test_a_card_without_a_text_says_so(reply: str) -> None:
    told = "There is no text on this card that could be changed; to have it otherwise, ask me anew."
    assert outcome(reply, ARCHIVE) == f"? {told}"


@given(st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join))
def test_whatever_is_said_is_a_change_a_question_or_a_word(reply: str) -> None:
    for sheet in (LATE, DINNER):
        assert isinstance(says(reply, sheet), Edit | Unclear | Unsure | Word)


@given(st.text(max_size=60))
def test_a_text_of_the_owners_is_never_changed_on_its_way(reply: str) -> None:
    read = says(reply, LATE)
    if isinstance(read, Edit) and not read.told:
        assert read.sheet.text == reply.strip()


def test_every_offered_answer_is_one_that_can_be_read() -> None:
    asked = [says(reply, sheet) for sheet, reply, expected in PHRASES if expected.startswith("? ")]
    for sheet, reading in zip((s for s, _, e in PHRASES if e.startswith("? ")), asked, strict=True):
        for choice in reading.choices if isinstance(reading, Unclear) else ():
            answer = says(choice.words, sheet)
            assert isinstance(answer, Edit), choice.words
            assert changed(sheet, answer.sheet) != "nothing"
