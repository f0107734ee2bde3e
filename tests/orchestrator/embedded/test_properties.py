"""Whatever is said, the planner answers, and reaches only whom the words or the owner name."""

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler.orchestrator.embedded.lexer import lex, word_set
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput
from tests.orchestrator.embedded import requests, scene
from tests.support.nightly import examples

ALL_WORDS = [row[0] for row in (*requests.ONE_STEP, *requests.FORWARDED, *requests.UNCLEAR)]
PIECES = st.sampled_from(
    [
        "\n", "\u202e", "\u200b",
        *sorted(word_set(
            "tell Anna Sam Kim Bob Bert anna's mum's on Telegram by mail that : , ; . and “ ” \" ' to email about "
            "subject saying forward reply the second last one it mail-3 mail-77 from x@y.example @handle telegram:12 "
            "remind me at 9 mail:q@z.example tomorrow in 20 minutes every search my your inbox for remember note then "
            "send message a ghost boss evil@x.example 🙂 ß İ ﬁ"
        )),
    ]
)  # fmt: skip
TEXT = st.one_of(
    st.text(max_size=200),
    st.lists(PIECES, max_size=18).map(" ".join),
    st.tuples(st.sampled_from(ALL_WORDS), st.lists(PIECES, max_size=6).map(" ".join)).map(" ".join),
    st.tuples(st.lists(PIECES, max_size=3).map(" ".join), st.sampled_from(ALL_WORDS)).map(" ".join),
)


def understood(words: str) -> PlannerOutput:
    return asyncio.run(EmbeddedPlanner().plan(scene.request(words)))


def references(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


@settings(max_examples=examples(600), deadline=None)
@given(TEXT)
def test_nobody_is_reached_whom_neither_the_words_nor_the_contacts_name(words: str) -> None:
    output = understood(words)
    if not isinstance(output, Planned):
        return
    folded = " ".join(token.word for token in lex(words).tokens)
    tools = {spec.tool_name for spec in scene.TOOLS}
    handles = {referent.handle for referent in scene.SHOWN}
    people = {contact.contact_id: contact for contact in scene.PEOPLE}
    assert [step.step_id for step in output.steps] == list(range(1, len(output.steps) + 1))
    for step in output.steps:
        assert step.tool_call in tools
        for reference in (found for value in step.args.values() for found in references(value)):
            if "contact" in reference:
                assert any(alias in folded for alias in people[reference["contact"]].aliases)
            elif "address" in reference:
                assert reference["address"].split(":", 1)[1].casefold() in words.casefold()
            elif "handle" in reference:
                assert reference["handle"] in handles
            else:
                assert reference["step"] in step.depends_on


@settings(max_examples=examples(400), deadline=None)
@given(TEXT)
def test_what_is_sent_and_kept_was_said(words: str) -> None:
    output = understood(words)
    said = " ".join(words.split()).casefold()
    for step in output.steps if isinstance(output, Planned) else ():
        for name in ("text", "body"):
            if isinstance(text := step.args.get(name), str):
                assert " ".join(text.split()).casefold() in said
                assert text.strip()


@settings(max_examples=examples(300), deadline=None)
@given(st.sampled_from(scene.PEOPLE), st.text(min_size=1, max_size=60), st.booleans())
def test_a_message_after_a_colon_goes_out_as_it_stands_and_to_nobody_else(contact: Any, text: str, mail: bool) -> None:
    verb = "email" if mail else "text"
    output = understood(f"{verb} {contact.aliases[0]}: {text}")
    if isinstance(output, Planned) and text.strip() and text.strip()[0] not in '"“”„«»:;':
        (step,) = output.steps
        to = step.args["to"][0] if mail else step.args["to"]
        assert to == {"contact": contact.contact_id}
        assert step.args["body" if mail else "text"].casefold() == text.strip().casefold()


@pytest.mark.parametrize("times", [2, 20, 100, 2_000])
def test_a_message_full_of_requests_is_read_in_no_time(times: int) -> None:
    began = time.process_time()
    understood("tell Bob: " + "and tell Anna hi and remind me at 9 to go. " * times)
    assert time.process_time() - began < 20
