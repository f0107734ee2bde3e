"""What the real embedder finds, on the half of the questions that nothing was tuned on."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from bench.retrieval import LEAST, WAYS, answered, gain, remembered, told
from bench.retrieval_set import TEST, Question, documents, questions
from butler.agents.embedding.e5 import MultilingualE5
from butler.agents.memory import agent
from butler.agents.memory.found import Found
from butler.contract.agents import MemoryQuery
from config.agents import MemorySettings

Results = Mapping[Question, Sequence[Found]]
_known: dict[str, Results] = {}
"""Computed once for a run of the tests: it takes seconds."""


@pytest.fixture
async def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Results:
    monkeypatch.setattr(agent, "NICE", 0)  # nobody waits for it in a daemon; here somebody does
    if not _known:
        async with remembered(tmp_path, documents()) as memory:
            for name, across in (("test", False), ("across", True)):
                asked = questions(TEST, across=across)
                _known[name] = {question: await memory.found(question.question) for question in asked}
    return _known["test"]


@pytest.mark.nightly
def test_questions_with_an_answer_get_the_right_source_and_those_without_are_refused(results: Results):
    shares = answered(results)
    assert shares.given >= 0.85
    assert shares.refused >= 0.95


@pytest.mark.nightly
def test_what_is_asked_for_by_default_is_what_the_seed_says_and_means_that_it_answers(results: Results):
    assert MemoryQuery(query_text="").min_relevance_score == MemorySettings().min_relevance == LEAST == 0.7
    shares = answered(results)
    assert shares.right >= 0.9
    # A lower one would let through what answers nothing, a higher one refuse what answers.
    assert answered(results, 0.5).refused < 0.95
    assert answered(results, 0.9).given < 0.85


@pytest.mark.nightly
async def test_answers_without_a_model_quote_the_right_source_and_say_so_where_there_is_none(results: Results):
    answers = await told(results)
    assert answers.quoted >= 0.85
    assert answers.first >= 0.8
    assert answers.refused >= 0.95


@pytest.mark.nightly
async def test_questions_are_answered_from_sources_in_another_language(results: Results):
    assert results
    assert (await told(_known["across"])).quoted >= 0.5


@pytest.mark.nightly
def test_hybrid_search_is_better_than_words_alone_and_than_vectors_alone(results: Results):
    with_answer = [(question.answer, found) for question, found in results.items() if question.answer]
    means = {name: sum(gain(found, way, answer) for answer, found in with_answer) for name, way in WAYS.items()}
    assert means["hybrid"] > means["vectors alone"]
    assert means["hybrid"] > means["BM25 alone"]


@pytest.mark.nightly
def test_names_numbers_and_codes_are_found_as_they_stand(results: Results):
    exact = [(question, found) for question, found in results.items() if question.style == "exact"]
    assert len(exact) > 10
    for question, found in exact:
        assert found[0].source.source_id == question.answer, question.question
        assert found[0].relevance >= LEAST, question.question


def test_passages_and_questions_have_vectors_of_length_one_whatever_is_in_them():
    embedder = MultilingualE5()
    vectors = embedder.embed(["", "half \udcff", "\x00", "Grüße 😀 " * 100], query=False)
    assert vectors.shape == (4, embedder.dimensions)
    assert all(abs(float((row * row).sum()) - 1) < 1e-4 for row in vectors)
    assert embedder.embed([], query=True).shape == (0, embedder.dimensions)
