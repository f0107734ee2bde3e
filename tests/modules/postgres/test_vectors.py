"""Rows by their meaning, on a real pgvector."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.adapters.servers.pgvector import Database
from tests.modules.postgres.conftest import SEARCH, Ask


def ids(result: Any) -> list[str]:
    assert result.ok, result.error
    return [match["id"] for match in result.data["matches"]]


async def test_the_nearest_rows_come_first_with_text_score_and_columns(ask: Ask, library: Database) -> None:
    asking = ask(library.reader_url, vectors=[SEARCH])
    result = await asking("vector_search", vector=[1, 0, 0], limit=3)
    assert ids(result) == ["1", "2", "3"]
    second = (result.data or {})["matches"][1]
    assert second == {"id": "2", "score": pytest.approx(0.8), "text": "la mer", "row": {"language": "fr"}}
    assert (result.data or {})["count"] == 3


@pytest.mark.parametrize(
    ("distance", "order", "best"),
    [("cosine", ["1", "2", "3"], 1.0), ("l2", ["1", "2", "5", "3"], 0.0), ("ip", ["1", "2", "3", "5"], 1.0)],
)
async def test_each_distance_has_its_order(
    ask: Ask, library: Database, distance: str, order: Sequence[str], best: float
) -> None:
    asking = ask(library.reader_url, vectors=[{**SEARCH, "distance": distance}])
    result = await asking("vector_search", vector=[1, 0, 0])
    found = ids(result)
    assert found[:2] == order[:2]
    assert sorted(found) == sorted(order)
    scores = [match["score"] for match in (result.data or {})["matches"]]
    assert scores[0] == best
    assert scores == sorted(scores, reverse=True)


async def test_words_are_embedded_by_the_house(ask: Ask, library: Database) -> None:
    asked: list[tuple[list[str], bool]] = []

    async def embed(texts: Sequence[str], *, query: bool) -> list[list[float]]:
        asked.append((list(texts), query))
        return [[0.0, 0.0, 1.0]]

    asking = ask(library.reader_url, vectors=[SEARCH], embed=embed)
    assert ids(await asking("vector_search", text="mountains", limit=1)) == ["3"]
    assert asked == [(["mountains"], True)]


async def test_conditions_narrow_a_search(ask: Ask, library: Database) -> None:
    asking = ask(library.reader_url, vectors=[SEARCH])
    narrowed = await asking(
        "vector_search", vector=[1, 0, 0], where=[{"column": "language", "op": "neq", "value": "en"}]
    )
    assert ids(narrowed) == ["2", "3"]


async def test_vectors_of_another_length_are_told(ask: Ask, library: Database) -> None:
    asking = ask(library.reader_url, vectors=[SEARCH])
    result = await asking("vector_search", vector=[1, 0])
    assert result.error is not None
    assert result.error.code.value == "INVALID_INPUT"
    assert result.error.message.startswith("the vectors of books have another length than the 2 numbers given")


async def test_only_what_the_settings_name_is_searched(ask: Ask, library: Database) -> None:
    odd = {"name": "odd", "table": "public.Odd", "column": "vector"}
    asking = ask(library.reader_url, vectors=[SEARCH, odd])
    other = await asking("vector_search", table="pg_authid", vector=[1])
    assert other.error is not None
    assert (other.error.code.value, other.error.message) == (
        "NOT_FOUND",
        "there is no search called so; there are books, odd",
    )
    none = await ask(library.reader_url)("vector_search", vector=[1])
    assert none.error is not None
    assert "[[modules.postgres.bot.vectors]]" in none.error.message
    gone = await asking("vector_search", table="odd", vector=[1])
    assert gone.error is not None
    assert gone.error.code.value == "NOT_FOUND"


@pytest.mark.parametrize("args", [{}, {"text": "a", "vector": [1]}, {"vector": [float("nan")]}, {"text": " "}])
async def test_a_search_is_by_words_or_by_a_vector(ask: Ask, library: Database, args: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"text|vector"):
        await ask(library.reader_url, vectors=[SEARCH])("vector_search", **args)
