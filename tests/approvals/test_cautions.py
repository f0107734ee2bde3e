"""A card warns of a secret, and of what may belong to somebody whom it does not go to."""

from dataclasses import replace
from typing import Any

import pytest

from approvals.cautions import UNCHECKED
from approvals.desk import Approvals
from butler.contract.agent_ports import Guard
from butler.guardrails.agent import Guardrails
from config.agents import GuardrailsSettings
from tests.approvals.house import House
from tests.approvals.providers import A_MAIL, ANNA, OWN_WORDS, SEND
from tests.guardrails.guards import Broken

NUMBER = "+44 20 7946 0958"


def guarded(house: House, guard: Guard) -> None:
    house.context = replace(house.context, guard=guard)
    house.approvals = Approvals(house.context)


@pytest.fixture
def house(house: House) -> House:
    guarded(house, Guardrails(GuardrailsSettings()))
    return house


async def reasons(house: House, text: str, origin: Any = A_MAIL) -> tuple[str, ...]:
    await house.know("Anna", ANNA)
    args = {"to": [ANNA], "text": text}
    await house.ask(SEND, args=args, origins={"to": OWN_WORDS, "text": origin})
    return house.channel.newest.reasons


async def test_somebody_elses_number_in_words_of_a_mail_is_pointed_out(house: House) -> None:
    found = await reasons(house, f"Bob is at {NUMBER}")
    assert found[-1] == "it holds what may belong to somebody else: phone"


async def test_the_owners_own_words_may_hold_a_number(house: House) -> None:
    assert await reasons(house, f"Bob is at {NUMBER}", OWN_WORDS) == ()


async def test_a_secret_is_pointed_out_whoever_wrote_it(house: House) -> None:
    assert await reasons(house, "the password: S3same!ouvre", OWN_WORDS) == ("it holds a secret: password",)


async def test_a_text_without_either_is_not_spoken_of(house: House) -> None:
    assert len(await reasons(house, "see you at eight")) == 1


async def test_nothing_is_said_of_no_text(house: House) -> None:
    assert "secret" not in " ".join(await reasons(house, ""))


async def test_a_card_says_where_nobody_could_look(house: House) -> None:
    guarded(house, Broken())
    assert UNCHECKED in await reasons(house, "hello")
