"""A standing rule lets pass what its card showed, and nothing that has come about since."""

import pytest
import sqlalchemy as sa

from approvals.rule_proposals import FIRST_USES
from approvals.states import State
from butler.contract.tools import ArgRole
from butler.store.queries import contacts
from butler.store.store import Store
from butler.store.tables import approvals as approvals_table
from butler.store.tables import contact_addresses
from butler.store.tables import contacts as contacts_table
from butler.store.tables import rules as rules_table
from tests.approvals import providers
from tests.approvals.harness import Harness, create_tables
from tests.approvals.providers import ANNA, OWN_WORDS, SEND
from tests.approvals.rule_harness import saved, the_rule


class Grown(providers.SendArgs):
    """The tool in its next version, which can do more."""

    also_to: str = ""
    delete_after: int = 0


@pytest.fixture
async def harness() -> Harness:
    return Harness(create_tables(Store("sqlite://")))


@pytest.fixture
def grown(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> Harness:
    roles = {
        **providers.ROLES[providers.SendArgs],
        "also_to": ArgRole.CONTENT,
        "delete_after": ArgRole.OPTION,
    }
    monkeypatch.setattr(providers, "ROLES", {**providers.ROLES, Grown: roles})
    return harness


async def test_a_rule_says_nothing_of_what_a_tool_has_learnt_since(grown: Harness) -> None:
    await saved(grown)
    grown.invoker.change(SEND, args=Grown)
    args = {"to": [ANNA], "text": "I'll be late", "also_to": "everybody", "delete_after": 3}
    verdict = await grown.request(args=args, origins=dict.fromkeys(args, OWN_WORDS), call_id="2")
    assert verdict.decision == "ask"
    assert (await the_rule(grown)).uses == 0


async def test_a_rule_holds_for_a_tool_that_has_learnt_something_and_is_not_asked_to_do_it(grown: Harness) -> None:
    await saved(grown)
    grown.invoker.change(SEND, args=Grown)
    verdict = await grown.request(call_id="2")
    assert verdict.decision == "allow"
    await grown.run()
    assert await grown.state(verdict.approval_id or "") == State.DONE


async def test_a_rule_lapses_when_its_tool_has_to_be_told_more(grown: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    class Asking(providers.SendArgs):
        why: str

    roles = {**providers.ROLES[providers.SendArgs], "why": ArgRole.CONTENT}
    monkeypatch.setattr(providers, "ROLES", {**providers.ROLES, Asking: roles})
    await saved(grown)
    grown.invoker.change(SEND, args=Asking)
    args = {"to": [ANNA], "text": "I'll be late", "why": ""}
    assert (await grown.request(args=args, call_id="2")).decision == "ask"


async def test_two_requests_at_once_share_the_last_use_of_a_rule_between_none(harness: Harness) -> None:
    rule = await saved(harness)
    await harness.write(lambda c: c.execute(rules_table.update().values(uses=FIRST_USES - 1)))
    assert rule.max_uses == FIRST_USES

    def both(connection: sa.Connection) -> list[str]:
        now = harness.clock.now()
        return [harness.approvals.request(connection, harness.proposal(call_id=f"p{n}"), now).decision for n in (1, 2)]

    assert await harness.write(both) == ["allow", "ask"]


@pytest.mark.parametrize(
    "text", ["I'll be late ", "i'll be late", "I\u2019ll be late", "I'll be la\u200bte", "I'll be látе"]
)
async def test_a_rule_takes_no_look_alike_of_the_text_that_it_is_for(harness: Harness, text: str) -> None:
    await saved(harness)
    assert (await harness.request(args={"to": [ANNA], "text": text}, call_id="2")).decision == "ask"


@pytest.mark.parametrize("to", ["telegram:1002 ", "telegram:01002", "telegram:１００２", "Telegram:1002", "mail:1002"])
async def test_a_rule_takes_no_look_alike_of_its_recipient(harness: Harness, to: str) -> None:
    await saved(harness)
    verdict = await harness.request(args={"to": [to], "text": "I'll be late"}, call_id="2")
    assert verdict.decision == "ask"


async def test_a_rule_for_a_contact_is_none_for_whoever_has_the_address_next(harness: Harness) -> None:
    await saved(harness)
    await harness.know("Eve", "telegram:666")
    eve = await harness.store.read(lambda c: contacts.confirmed(c, "telegram:666"))
    hers = contact_addresses.update().where(contact_addresses.c.address == ANNA).values(contact_id=eve)
    await harness.write(lambda c: c.execute(hers))
    assert (await harness.request(call_id="2")).decision == "ask"
    assert (await the_rule(harness)).uses == 0


async def test_a_rule_holds_for_a_contact_by_another_name(harness: Harness) -> None:
    await saved(harness)
    await harness.write(lambda c: c.execute(contacts_table.update().values(name="Anna Bell")))
    assert (await harness.request(call_id="2")).decision == "allow"


async def test_a_rule_of_a_card_from_before_people_were_noted_holds(harness: Harness) -> None:
    await saved(harness)
    await harness.write(lambda c: c.execute(approvals_table.update().values(bound="")))
    assert (await harness.request(call_id="2")).decision == "allow"
