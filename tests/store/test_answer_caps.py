"""Automatic answers are counted by thread, address and domain, so that two machines cannot keep each other busy."""

from datetime import timedelta

import pytest

from butler.repositories import OTHERS, OWNER, StoreAnswers
from butler.store.store import Store
from tests.support.context import FixedOwner, TurnedClock

ANNA, ME = "anna@friends.example", "me@home.example"
DAY = timedelta(days=1)


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock()


@pytest.fixture
def book(store: Store, clock: TurnedClock) -> StoreAnswers:
    return StoreAnswers(store, clock, FixedOwner())


async def left(book: StoreAnswers, answers: list[tuple[str, str, str]]) -> int:
    """How many of these (key, correspondent, thread) may leave."""
    return sum([await book.note(*answer) == "" for answer in answers])


async def test_sm_04_a_thread_gets_one_automatic_answer_and_no_more_on_another_day(
    book: StoreAnswers, clock: TurnedClock
) -> None:
    assert await book.note("1", ANNA, "mail:<t>") == ""
    assert await book.note("2", ANNA, "mail:<t>") == (
        "this conversation had 1 automatic answer, which is as many as may be"
    )
    clock.offset += 30 * DAY
    assert await book.note("3", ANNA, "mail:<t>") != ""
    assert await book.note("4", ANNA, "mail:<u>") == ""


async def test_sm_04_a_responder_with_new_subjects_is_stopped(book: StoreAnswers, clock: TurnedClock) -> None:
    assert await left(book, [(f"{n}", ANNA, f"mail:<{n}>") for n in range(50)]) == OTHERS.correspondent
    why = await book.note("x", ANNA, "mail:<x>")
    assert why == f"{ANNA} had 3 automatic answers within a day, which is as many as may be"
    clock.offset += DAY + timedelta(minutes=1)
    assert await book.note("y", ANNA, "mail:<y>") == ""


async def test_sm_04_a_responder_with_new_addresses_is_stopped(book: StoreAnswers) -> None:
    answers = [(f"{n}", f"x{n}@friends.example", f"mail:<{n}>") for n in range(50)]
    assert await left(book, answers) == OTHERS.domain
    assert "addresses at friends.example" in await book.note("z", "z@friends.example", "mail:<z>")
    assert await book.note("other", "x@elsewhere.example", "mail:<e>") == ""


async def test_sm_02_one_that_answers_a_thousand_times_gets_few_answers(book: StoreAnswers) -> None:
    answers = [(f"{n}", ANNA, "mail:<loop>" if n % 2 else f"mail:<{n}>") for n in range(1_000)]
    assert await left(book, answers) <= OTHERS.correspondent


async def test_an_answer_that_is_tried_again_counts_once(book: StoreAnswers) -> None:
    assert await left(book, [("1", ANNA, "mail:<t>")] * 5) == 5
    assert await left(book, [(f"n{n}", ANNA, f"mail:<{n}>") for n in range(9)]) == OTHERS.correspondent - 1


async def test_an_answer_that_may_not_leave_is_not_counted(book: StoreAnswers) -> None:
    assert await left(book, [(f"{n}", ANNA, "mail:<t>") for n in range(9)]) == 1
    assert await left(book, [(f"o{n}", ANNA, f"mail:<{n}>") for n in range(9)]) == OTHERS.correspondent - 1


async def test_the_owner_may_have_a_long_conversation(book: StoreAnswers, clock: TurnedClock) -> None:
    answers = [(f"{n}", ME, "mail:<t>") for n in range(100)]
    assert await left(book, answers) == OWNER.thread
    assert await left(book, [(f"o{n}", ME, f"mail:<{n}>") for n in range(100)]) == OWNER.correspondent - OWNER.thread
    clock.offset += DAY + timedelta(minutes=1)
    assert await book.note("tomorrow", ME, "mail:<t>") == ""
