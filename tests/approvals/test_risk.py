"""The risk classes of calls."""
# names: made up here

from typing import Any

import pytest

from approvals.risk import MANY, Risk, choosing, risk_of
from butler.contract.tools import ToolMetadata
from butler.provenance import Labels
from tests.approvals.harness import Harness
from tests.approvals.phone import OWNER
from tests.approvals.providers import A_MAIL, ANNA, ARCHIVE, BOT_SEND, OWN_WORDS, PRIVATE_READ, READ, SEND
from tests.approvals.standing_rule_harness import question

NOBODYS: Labels = frozenset()
STRANGER = "telegram:9"


@pytest.mark.parametrize("tool", [READ, PRIVATE_READ])
def test_a_read_is_of_low_risk_whoever_chose_what_is_read(tool: str) -> None:
    assert risk_of(question(tool, to=(), origins={"item": A_MAIL})) is Risk.LOW


@pytest.mark.parametrize(
    ("changes", "risk"),
    [
        ({}, Risk.LOW),
        ({"to": (ANNA, OWNER)}, Risk.LOW),
        ({"to": (STRANGER,)}, Risk.HIGH),
        ({"origins": {"to": OWN_WORDS, "text": A_MAIL}}, Risk.HIGH),
        ({"origins": {"to": NOBODYS, "text": OWN_WORDS}}, Risk.HIGH),
    ],
)
def test_what_the_butler_does_in_its_own_name_is_never_of_the_highest_risk(changes: dict[str, Any], risk: Risk) -> None:
    assert risk_of(question(BOT_SEND, **changes)) is risk


@pytest.mark.parametrize(
    ("changes", "risk"),
    [
        ({}, Risk.HIGH),
        ({"to": ()}, Risk.HIGH),
        ({"origins": {"to": OWN_WORDS, "text": A_MAIL}}, Risk.HIGH),
        ({"origins": {"to": A_MAIL | OWN_WORDS, "text": OWN_WORDS}}, Risk.HIGHEST),
        ({"origins": {"to": NOBODYS, "text": OWN_WORDS}}, Risk.HIGHEST),
        ({"to": (ANNA, STRANGER)}, Risk.HIGHEST),
        ({"to": tuple(f"telegram:7{n}" for n in range(MANY))}, Risk.HIGH),
        ({"to": tuple(f"telegram:7{n}" for n in range(MANY + 1))}, Risk.HIGHEST),
    ],
)
def test_what_acts_as_the_person_towards_the_unknown_or_the_many_is_of_the_highest_risk(
    changes: dict[str, Any], risk: Risk
) -> None:
    assert risk_of(question(SEND, **changes)) is risk


def test_an_argument_chooses_by_its_role_and_one_without_a_role_may_choose() -> None:
    roles = question().metadata
    assert choosing(roles, ["to", "text", "silent"]) == {"to"}
    assert choosing(question(READ, to=()).metadata, ["item", "limit"]) == {"item"}
    assert choosing(ToolMetadata({}), ["text"]) == {"text"}


async def test_a_stored_call_says_its_risk_whom_it_reaches_and_what_it_is_bound_to(harness: Harness) -> None:
    await harness.know("Anna", "mail:anna@friends.example")
    args = {"to": [" mail:Anna@Friends.example", "mail:anna@friends.example", "mail:a@\u212aelvin.example"], "text": ""}
    row = await harness.row(await harness.ask(SEND, args=args))
    assert row.risk == Risk.HIGHEST
    assert row.recipients == ("mail:anna@friends.example", "mail:a@\u212aelvin.example")
    assert row.bound
    assert (row.rule_id, row.rule_digest) == (None, None)
    calm = await harness.row(await harness.ask(ARCHIVE, args={"to": [], "text": ""}, call_id="c2"))
    assert (calm.risk, calm.recipients) == (Risk.HIGH, ())
