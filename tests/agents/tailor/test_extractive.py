"""Without a model: the sentences and rows that answer, word for word, in an answer of the owner's language."""

import json
import time
from collections.abc import Sequence

import pytest

from butler.agents.tailor.drafting import draft_of
from butler.agents.tailor.extractive_tailor import ExtractiveTailor
from butler.agents.tailor.figures import figures
from butler.agents.tailor.passages import passages
from butler.agents.tailor.port import TailorInput, TailorOutput
from butler.agents.tailor.quotes import find_quote
from butler.agents.tailor.wording import WORDINGS, wording
from butler.contract.agents import RetrievedContext
from tests.agents.tailor.builders import CHUNKS, LEASE, MAIL, chunk, question


async def answer(given: TailorInput, tailor: ExtractiveTailor | None = None) -> TailorOutput:
    output = await (tailor or ExtractiveTailor()).answer(given)
    assert isinstance(output, TailorOutput)
    contents = {one.chunk_id: one.content for one in given.context_chunks}
    for citation in output.citations:
        assert citation.text_snippet in contents[citation.chunk_id]
    return output


@pytest.mark.parametrize(
    ("words", "language", "source", "says"),
    [
        ("How much is the rent?", "en", "lease", "EUR 1,200.00"),
        ("When is the insurance due?", "en", "costs", "| Insurance | 240 EUR | 2026-05-01 |"),
        ("How much does the heating cost?", "en", "costs", "| Heating | 90 EUR | 2026-06-15 |"),
        ("When is my dentist appointment?", "en", "mail", "Tuesday 14 April at 10:30."),
        ("what time is the dentist", "en", "mail", "10:30"),
        ("Who manages the house?", "en", "lease", "Dr. Meier manages the house."),
        ("How much is the deposit?", "en", "lease", "three months' rent"),
        ("Is the flat on the third floor?", "en", "lease", "The flat is on the third floor."),
        ("Wann endet der Mietvertrag?", "de", "vertrag", "30. September 2027"),
        ("Wie lang ist die Kündigungsfrist?", "de", "vertrag", "drei Monate"),
        ("Combien coûte le loyer ?", "fr", "bail", "850 €"),
        ("Quand commence le bail ?", "fr", "bail", "1er juillet 2026"),
        ("¿Cuánto es el alquiler?", "es", "contrato", "700 euros"),
        ("¿Cuándo termina el contrato?", "es", "contrato", "31 de diciembre de 2027"),
    ],
)
async def test_a_question_is_answered_with_the_words_of_the_right_source(
    words: str, language: str, source: str, says: str
) -> None:
    output = await answer(question(words, language=language))
    assert output.citations[0].chunk_id == source
    assert says in output.citations[0].text_snippet
    assert output.content.splitlines()[0].endswith("[1]")
    assert output.confidence_score > 0.4


MINUTES = (
    "# Minutes of the choir\n\nWe meet on Wednesday at 18:30. Carol pays the church 60 pounds by 5 December. No solos."
)


@pytest.mark.parametrize(
    ("words", "language"),
    [("Summarise this.", "en"), ("fasse das zusammen", "de"), ("résume ce document", "fr"), ("resume esto", "es")],
)
async def test_what_it_cannot_sum_up_is_shown_from_its_beginning_and_that_is_said(words: str, language: str) -> None:
    output = await answer(question(words, [chunk("minutes", MINUTES, "Minutes", relevance=1.0)], language=language))
    assert output.content.startswith(WORDINGS[language].beginning)
    assert "We meet on Wednesday at 18:30." in output.content
    assert output.content.endswith("[1]")


async def test_what_is_due_is_what_has_a_day_or_an_amount() -> None:
    given = question("What is due or asked for, and by when?", [chunk("minutes", MINUTES, "Minutes", relevance=1.0)])
    output = await answer(given)
    assert "Carol pays the church 60 pounds by 5 December." in output.content
    assert "No solos" not in output.content


async def test_what_one_page_says_stands_under_one_number_and_another_page_under_its_own() -> None:
    contract = "Either side may give three months' notice.\nNotice is given in writing."
    pages = [
        chunk("p1", contract, "Contract", page=1),
        chunk("p2", "Notice to the bank takes one month.", "Contract", page=2).model_copy(
            update={"source_id": "file:p1"}
        ),
    ]
    output = await answer(question("What does it say about notice?", pages, persona="Technical"))
    first, second = output.content.splitlines()
    assert first.count("says:") == 1
    assert "Contract, page 1 says: “" in first
    assert "three months' notice.”" in first
    assert "in writing.”" in first
    assert first.endswith("[1]")
    assert second == "Contract, page 2 says: “Notice to the bank takes one month.” [2]"


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
@pytest.mark.parametrize("words", ["What is the wifi password?", "Wer hat 1998 die Weltmeisterschaft gewonnen?"])
@pytest.mark.parametrize("relevance", [0.6, 1.0], ids=["a search that found little", "documents that nobody searched"])
async def test_what_no_source_answers_is_said_plainly_in_the_owners_language(
    words: str, language: str, relevance: float
) -> None:
    chunks = [one.model_copy(update={"relevance_score": relevance}) for one in CHUNKS]
    output = await answer(question(words, chunks, language=language))
    assert output.content == WORDINGS[language].insufficient
    assert output.citations == []
    assert output.confidence_score < 0.1


async def test_no_chunks_are_no_answer() -> None:
    output = await answer(question("How much is the rent?", []))
    assert output.content == wording("en").insufficient


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("When was the deposit paid?", wording("en").no_date),
        ("How many keys does Dr. Meier have?", wording("en").no_number),
        ("What is the phone number of Dr. Meier?", wording("en").no_contact),
    ],
)
async def test_a_source_without_what_was_asked_for_is_shown_as_that_or_no_answer(words: str, said: str) -> None:
    text = "The deposit was paid. Dr. Meier has the keys of the house."
    found = await answer(question(words, [chunk("lease", text, relevance=0.9)]))
    assert found.content.startswith(f"{said} {wording('en').shown}\n")
    assert [one.chunk_id for one in found.citations] == ["lease"]
    assert not draft_of(found)  # nobody else is sent what does not answer
    named = await answer(question(words, [chunk("lease", text, relevance=1.0)]))
    assert named.content == said
    for output in (found, named):
        assert 0 < output.confidence_score < 0.3


async def test_two_sources_that_say_different_things_are_both_shown() -> None:
    both = [
        chunk("old", "The rent is 900 EUR a month.", "Letter of May"),
        chunk("new", "The rent is 950 EUR a month.", "Letter of June"),
    ]
    output = await answer(question("How much is the rent a month?", both))
    assert [c.chunk_id for c in output.citations] == ["old", "new"]
    assert "[1]" in output.content
    assert "[2]" in output.content


async def test_the_executive_and_the_brief_get_one_sentence() -> None:
    both = [chunk("old", "The rent is 900 EUR a month."), chunk("new", "The rent is 950 EUR a month.")]
    for more in ({"persona": "Executive"}, {"formatting_instructions": "brief, please"}):
        output = await answer(question("How much is the rent a month?", both, **more))
        assert len(output.citations) == 1


async def test_a_page_is_named_and_a_list_and_json_are_set_when_asked_for() -> None:
    words = "When is the insurance due?"
    assert "Costs, page 2 says:" in (await answer(question(words))).content
    assert (await answer(question(words, formatting_instructions="as a list"))).content.startswith("- Costs")
    parsed = json.loads((await answer(question(words, formatting_instructions="JSON"))).content)
    assert parsed["answer"][0]["sources"] == [1]
    assert "Seite 2" in (await answer(question("Wann ist die Insurance fällig, due?", language="de"))).content


async def test_a_source_that_the_search_is_sure_of_answers_in_words_of_its_own() -> None:
    found = [chunk("cat", "Momo: kidney values raised. Only diet food from Monday on.", relevance=0.84)]
    output = await answer(question("when does the kitten eat otherwise", found))
    assert output.citations[0].text_snippet == "Only diet food from Monday on."
    assert 0.3 < output.confidence_score < 0.7


async def test_a_source_that_the_search_thought_nearly_as_good_is_shown_beside_the_best_one() -> None:
    found = [
        chunk("car", "You can collect the car until 18:00 at gate 2.", "Your car is ready", relevance=0.83),
        chunk("ferry", "Vehicles have to be at the port by 16:25.", "Ferry", relevance=0.79),
        chunk("tyres", "The car gets its winter tyres, the harbour is early.", "Garage", relevance=0.71),
    ]
    output = await answer(question("how early must the car be at the harbour", found))
    assert {one.chunk_id for one in output.citations} == {"car", "ferry"}


async def test_the_search_is_believed_before_words_and_what_holds_the_answers_kind_is_still_shown() -> None:
    lease = chunk("lease", "Who moves in pays a deposit.", "Lease", relevance=0.95)
    receipt = chunk("receipt", "Deposit, deposit: 2,640 EUR.", "Receipt", relevance=0.78)
    output = await answer(question("How much is the deposit?", [receipt, lease]))
    assert [one.chunk_id for one in output.citations] == ["lease", "receipt"]
    assert wording("en").shown not in output.content
    short = await answer(question("How much is the deposit?", [receipt, lease], persona="Executive"))
    assert [one.chunk_id for one in short.citations] == ["lease"]
    assert wording("en").shown in short.content


async def test_meaning_finds_what_shares_no_word_with_the_question() -> None:
    async def near(_: str, texts: Sequence[str]) -> list[float]:
        return [1.0 if "rent" in text else 0.0 for text in texts]

    words = "landlord money monthly"
    output = await answer(
        question(words, [chunk("x", "Something. The rent stays as it is. Else.")]), ExtractiveTailor(near)
    )
    assert output.citations[0].text_snippet == "The rent stays as it is."


def sentences(content: str) -> list[str]:
    return [passage.text for passage in passages(chunk("x", content))]


def test_sentences_end_where_they_end() -> None:
    assert sentences("It costs 3.50 EUR. See no. 5 of the list. Dr. Meier knows.") == [
        "It costs 3.50 EUR.",
        "See no. 5 of the list.",
        "Dr. Meier knows.",
    ]
    assert sentences("Er kommt am 3. März um 10:30. Danach nicht.") == [
        "Er kommt am 3. März um 10:30.",
        "Danach nicht.",
    ]
    assert sentences("# Rent\n- first: 5\n- second: 6") == ["Rent", "- first: 5", "- second: 6"]
    wrapped = "This is a line of a page that is as wide as pages are and that\ngoes on in the next one."
    assert sentences(wrapped) == [wrapped.replace("\n", " ")]


def test_a_row_is_said_with_its_columns_and_quoted_as_it_stands() -> None:
    table = "| A | B |\n| --- | ---: |\n| one \\| two |  |\n| x | y |"
    rows = list(passages(chunk("x", f"Before.\n{table}\nAfter.")))
    assert [(row.text, row.quote) for row in rows] == [
        ("Before.", "Before."),
        ("A: one | two", "| one \\| two |  |"),
        ("A: x; B: y", "| x | y |"),
        ("After.", "After."),
    ]


HOSTILE = ["", "|", "||\n|-|\n||", "...", "\n\n", "|a|\n" * 2_000, MAIL, LEASE]
LONG = ["a", "1", "A. ", "a.", "1,", "a@", "x@y.", "EUR ", "1 ", "http://", "[](", '"', "Ab cd. ", "I ", "\u0301"]


@pytest.mark.parametrize("content", [*HOSTILE, *(piece * 4_000 for piece in LONG)], ids=lambda text: text[:8])
async def test_any_text_is_answered_from_in_time(content: str) -> None:
    given: list[RetrievedContext] = [chunk("x", content), *CHUNKS]
    began = time.process_time()
    await answer(question("How much is the rent?", given))
    figures(content)
    find_quote(content[:200], content)
    assert time.process_time() - began < 20
