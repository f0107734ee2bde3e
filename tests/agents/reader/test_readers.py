"""What a reader gives for a question: one value that stands in the text, or nothing."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest

from butler.agents.errors import ModelRefusedError, ModelUnavailableError
from butler.agents.fallbacks import ActiveModel
from butler.agents.reader.factory import make_reader
from butler.agents.reader.model_reader import ModelReader
from butler.agents.reader.port import Amount, KnownPerson, ReaderInput, ReaderOutput, Reading
from butler.agents.reader.rule_reader import RuleReader
from butler.contract.agents import AgentFailure, ReadKind, RetrievedContext
from butler.guardrails.redaction import redact
from tests.agents.tailor.builders import Model, chunk

NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)
VIEWING = "Hello,\nthe viewing is on Tuesday, 14 April at 10:30. The contract would begin on 1 May 2026.\nBea"
BILL = "The rent is 840 euros. The deposit is 2,520 euros."
PEOPLE = [KnownPerson(contact_id="c-anna", aliases=["anna"]), KnownPerson(contact_id="c-bob", aliases=["bob"])]


def mail(text: str, at: datetime | None = NOON) -> RetrievedContext:
    return chunk("mail", text).model_copy(update={"at": at})


def asked(kind: ReadKind, ask: str, *texts: str, **more: Any) -> ReaderInput:
    return ReaderInput(kind=kind, ask=ask, context_chunks=[mail(text) for text in texts], people=PEOPLE, **more)


async def ruled(kind: ReadKind, ask: str, *texts: str) -> ReaderOutput:
    output = await RuleReader().read(asked(kind, ask, *texts))
    assert isinstance(output, ReaderOutput)
    return output


async def read(form: Any, kind: ReadKind, ask: str, *texts: str, **more: Any) -> Reading | None:
    output = await ModelReader(Model(form), **more).read(asked(kind, ask, *texts))
    assert isinstance(output, ReaderOutput)
    assert output.model_used
    return output.reading


async def test_without_a_model_the_day_is_taken_whose_sentence_speaks_of_what_is_asked() -> None:
    output = await ruled(ReadKind.DATE, "when is the viewing?", VIEWING)
    assert output.reading is not None
    assert (output.reading.day, output.reading.clock) == (date(2026, 4, 14), time(10, 30))
    assert output.reading.quote == "the viewing is on Tuesday, 14 April at 10:30."
    assert not output.model_used


async def test_without_a_model_several_values_are_named_and_none_is_chosen() -> None:
    output = await ruled(ReadKind.DATE, "when?", VIEWING)
    assert output.reading is None
    assert [one.day for one in output.several] == [date(2026, 4, 14), date(2026, 5, 1)]
    assert (await ruled(ReadKind.AMOUNT, "how much do rent and deposit cost?", BILL)).reading is None


async def test_without_a_model_an_amount_and_a_person_are_found() -> None:
    rent = (await ruled(ReadKind.AMOUNT, "how much is the rent?", BILL)).reading
    assert rent is not None
    assert rent.amount == Amount(value=Decimal(840), currency="EUR")
    who = (await ruled(ReadKind.CONTACT, "who has the keys?", "Ask Bob for the keys.")).reading
    assert who is not None
    assert who.contact_id == "c-bob"
    assert (await ruled(ReadKind.CONTACT, "who?", "Ask Eve.")) == ReaderOutput()


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("Yes, gladly!\nAnna", True),
        ("Sorry, no. I can't come.\nAnna", False),
        ("Yes! No, wait.", None),
        ("Maybe, yes.", None),
        ("I can't come.\n\nOn 1 March Robin wrote:\n> Yes, come!", False),
    ],
)
async def test_without_a_model_a_plain_answer_is_read_and_a_quoted_one_is_not(text: str, yes: bool | None) -> None:
    reading = (await ruled(ReadKind.YES_NO, "does she come?", text)).reading
    assert (reading.yes if reading else None) is yes


async def test_a_model_points_at_words_and_our_own_rules_say_what_day_stands_there() -> None:
    form = {"chunk": "c1", "words": "Tuesday, 14 April at 10:30", "day": "2031-01-01"}
    reading = await read(form, ReadKind.DATE, "when is the viewing?", VIEWING)
    assert reading is not None
    assert (reading.day, reading.clock) == (date(2026, 4, 14), time(10, 30))


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"chunk": "c1", "words": "on 1 June 2026", "day": "2026-06-01"},
        {"chunk": "c2", "words": "1 May 2026", "day": "2026-05-01"},
        {"chunk": "c1", "words": "Bea", "day": "2026-06-01"},
        {"chunk": "c1", "words": VIEWING, "day": "2026-06-01"},
    ],
    ids=["nothing", "made up", "no such chunk", "no day in it", "several days"],
)
async def test_what_a_model_says_that_does_not_stand_there_is_not_found(form: Any) -> None:
    assert await read(form, ReadKind.DATE, "when does it begin?", VIEWING) is None


async def test_of_several_days_in_the_words_a_model_may_say_which() -> None:
    form = {"chunk": "c1", "words": VIEWING, "day": "2026-05-01", "person": "p1", "yes": True}
    reading = await read(form, ReadKind.DATE, "when does it begin?", VIEWING)
    assert reading is not None
    assert reading.day == date(2026, 5, 1)


async def test_a_model_may_only_name_a_contact_whom_its_words_name() -> None:
    named = {"chunk": "c1", "words": "Ask Bob", "person": "p2"}
    reading = await read(named, ReadKind.CONTACT, "who?", "Ask Bob, or Eve.")
    assert reading is not None
    assert reading.contact_id == "c-bob"
    assert await read(named | {"person": "p1"}, ReadKind.CONTACT, "who?", "Ask Bob, or Eve.") is None
    assert await read(named | {"words": "or Eve"}, ReadKind.CONTACT, "who?", "Ask Bob, or Eve.") is None
    assert await read(named | {"person": "p9"}, ReadKind.CONTACT, "who?", "Ask Bob, or Eve.") is None


async def test_a_models_yes_needs_words_that_stand_there() -> None:
    said = {"chunk": "c1", "words": "It suits me well", "yes": True}
    reading = await read(said, ReadKind.YES_NO, "does it suit her?", "It suits me well.")
    assert reading is not None
    assert reading.yes is True
    assert await read(said | {"words": "Yes"}, ReadKind.YES_NO, "?", "It suits me well.") is None
    assert await read({"chunk": "c1", "words": "It suits me well"}, ReadKind.YES_NO, "?", "It suits me well.") is None


async def test_addresses_are_kept_from_the_model_and_found_again_in_the_text() -> None:
    text = "Write to anna@friends.example by 3 April 2026."

    def answer(prompt: str) -> dict[str, Any]:
        assert "anna@friends.example" not in prompt
        line = next(line for line in prompt.splitlines() if line.startswith('{"chunk"'))
        return {"chunk": "c1", "words": line.split('"text": "')[1].split('"')[0]}

    reading = await read(answer, ReadKind.DATE, "by when?", text, redact=redact)
    assert reading is not None
    assert reading.quote == text


async def test_a_model_that_cannot_be_asked_is_a_failure_or_stood_in_for_by_the_rules_where_the_owner_said_so() -> None:
    gone, given = Model(ModelUnavailableError("it is overloaded")), asked(ReadKind.AMOUNT, "the rent?", BILL)
    failed = await ModelReader(gone).read(given)
    assert isinstance(failed, AgentFailure)
    assert failed.recoverable
    answering = ActiveModel("openai:x")
    output = await ModelReader(gone, otherwise=RuleReader(), answering=answering).read(given)
    assert isinstance(output, ReaderOutput)
    assert output.reading is not None
    assert (answering.current, output.model_used) == ("embedded", False)
    refused = ModelReader(Model(ModelRefusedError("no")), otherwise=RuleReader())
    assert isinstance(await refused.read(given), AgentFailure)


def test_without_a_model_the_rules_read() -> None:
    assert isinstance(make_reader(None), RuleReader)
    assert isinstance(make_reader(Model({})), ModelReader)
