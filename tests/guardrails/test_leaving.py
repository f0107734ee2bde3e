"""What the butler says to its owner: none of its keys leaves, and a link says where it leads."""

from collections.abc import AsyncIterator

import pytest

from butler.contract.card import OwnerMessage, Rich, Span, Style, plain, rich_text
from butler.orchestrator.replies.reply_checks import LEFT_OUT, looked_over
from butler.store.queries import outbox
from butler.store.store import Store
from tests.guardrails.guards import GUARD, Broken
from tests.orchestrator.builders import NOON, OWNER
from tests.orchestrator.harness import Harness
from tests.support.tables import create_tables

KEY = "1357301253:" + "AAcowD3up4qoJ7CxqI8fdHgg1cHzEHoI3ld"


@pytest.fixture
async def harness() -> AsyncIterator[Harness]:
    store = Store("sqlite://")
    create_tables(store.engine)
    harness = Harness(store)
    harness.guard = GUARD
    harness.start()
    yield harness
    await store.close()


def told(text: Rich) -> str:
    return rich_text(looked_over(GUARD, OwnerMessage(text=text)).text)


def test_a_key_of_the_house_is_left_out_wherever_it_stands() -> None:
    assert told(plain(f"the bot is {KEY}, as ever")) == f"the bot is […], as ever\n\n{LEFT_OUT}"
    apart = (Span(text=f"the bot is {KEY[:20]}", style=Style.BOLD), Span(text=f"{KEY[20:]}, as ever"))
    assert told(apart) == f"the bot is […], as ever\n\n{LEFT_OUT}"


def test_two_keys_are_left_out() -> None:
    assert told(plain(f"{KEY} and {KEY}!")) == f"[…] and […]!\n\n{LEFT_OUT}"


def test_the_owner_reads_their_own_passwords_codes_and_numbers() -> None:
    text = "your wifi password is S3same!ouvre, the code is 482913, Bob is at +44 20 7946 0958"
    assert told(plain(text)) == text


@pytest.mark.parametrize(
    ("words", "url", "shown"),
    [
        ("Your bank", "https://evil.example/login?x=1", "Your bank (evil.example)"),
        ("Rents at flats.example", "https://flats.example/rent", "Rents at flats.example"),
        ("https://flats.example/rent", "https://flats.example/rent", "https://flats.example/rent"),
        ("flats.example", "https://flats.example@evil.example/", "flats.example (evil.example)"),
        ("no address", "", "no address"),
    ],
)
def test_a_link_says_its_host_where_its_words_do_not(words: str, url: str, shown: str) -> None:
    assert told((Span(text=words, style=Style.LINK, url=url),)) == shown


def test_what_is_as_it_should_be_stays_as_it_is() -> None:
    message = OwnerMessage(text=plain("Tea at five?"))
    assert looked_over(GUARD, message) is message
    assert looked_over(Broken(), message) is message
    assert looked_over(None, message) is message


async def test_what_is_delivered_is_looked_over(harness: Harness) -> None:
    await harness.store.write(
        lambda c: outbox.add(c, OWNER, OwnerMessage(text=plain(KEY)), now=NOON, dedup_key="a key"), "said"
    )
    await harness.run()
    assert harness.phone.said == [f"[…]\n\n{LEFT_OUT}"]
