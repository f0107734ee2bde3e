"""Many taps at once, and taps that are nobody's to make: one execution, and each refusal told and on the log."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from itertools import cycle, islice
from pathlib import Path

import pytest

from approvals.revise import Change, Put
from approvals.tapped import TapAnswer, Tapped
from butler.contract.card import Button
from butler.contract.inbound import Inbound
from butler.store.queries import audit, rules
from butler.store.queries.rules import RuleState
from butler.store.store import Store
from tests.approvals.house import House, create_tables
from tests.approvals.phone import OWNER
from tests.approvals.providers import ANNA, OWN_WORDS, SEND, STRANGER
from tests.approvals.second import Killed

HUNDRED = 100
ELSEWHERE = "telegram:-5"


@pytest.fixture
async def two_houses(tmp_path: Path) -> AsyncIterator[tuple[House, House]]:
    """Two processes on one file; one phone, one provider and one clock."""
    url = f"sqlite:///{tmp_path}/butler.db"
    stores = create_tables(Store(url)), Store(url)
    first, second = map(House, stores)
    second.channel, second.provider, second.invoker, second.clock = (
        first.channel,
        first.provider,
        first.invoker,
        first.clock,
    )
    second.start()
    yield first, second
    for store in stores:
        await store.close()


async def shown_twice(house: House) -> str:
    """An approval with two cards, because the process died between the first and its note."""
    verdict = await house.request()
    house.channel.die = "after"
    with pytest.raises(Killed):
        await house.run()
    house.restart()
    await house.run()
    assert len(house.channel.cards) == 2
    assert verdict.approval_id
    return verdict.approval_id


async def refusals(house: House) -> Counter[str]:
    rows = await house.store.read(lambda c: audit.rows(c, limit=1000))
    return Counter(row.data["why"] for row in rows if row.kind == "approval.tap_refused")


async def kinds(house: House) -> Counter[str]:
    return Counter(row.kind for row in await house.store.read(lambda c: audit.rows(c, limit=1000)))


async def test_a_hundred_taps_on_two_cards_in_two_processes_are_one_execution(two_houses: tuple[House, House]) -> None:
    first, second = two_houses
    approval_id = await shown_twice(first)
    buttons = [first.channel.button("Approve", card) for card in first.channel.cards.values()]
    assert len({button.data for button in buttons}) == 2
    jobs = zip(cycle(buttons), cycle((first, first, second)), strict=False)
    taps = [house.approvals.decide(first.tap_of(button)) for button, house in islice(jobs, HUNDRED)]
    answers = await asyncio.gather(*taps)
    assert Counter(answer.tapped for answer in answers) == {Tapped.DECIDED: 1, Tapped.TOO_LATE: HUNDRED - 1}
    await first.after_undo_window()
    assert len(first.provider.effects) == 1
    assert await second.state(approval_id) == "done"
    assert await refusals(second) == {"too late": HUNDRED - 1}
    assert await second.store.read(audit.verify) is None


async def test_among_a_hundred_taps_of_all_kinds_one_decides_and_the_rest_is_told_why(lasting_house: House) -> None:
    house = lasting_house
    approval_id = await shown_twice(house)
    approve, deny = house.channel.button("Approve"), house.channel.button("Deny")
    sorts = (
        house.tap_of(approve),
        house.tap_of(deny),
        house.tap_of(approve, sender=STRANGER),
        house.tap_of(deny, chat=ELSEWHERE),
        house.tap_of("a:guess"),
    )
    answers = await asyncio.gather(*(house.approvals.decide(tap) for tap in islice(cycle(sorts), HUNDRED)))
    told = Counter(answer.tapped for answer in answers)
    each = HUNDRED // len(sorts)
    assert told == {
        Tapped.DECIDED: 1,
        Tapped.TOO_LATE: 2 * each - 1,
        Tapped.FOREIGN: each,
        Tapped.ELSEWHERE: each,
        Tapped.UNKNOWN: each,
    }
    assert len(house.channel.answers) == HUNDRED
    assert await refusals(house) == {tapped.value: n for tapped, n in told.items() if tapped is not Tapped.DECIDED}
    await house.after_undo_window()
    assert len(house.provider.effects) == (1 if await house.state(approval_id) == "done" else 0)


async def batch(house: House) -> list[str]:
    """Six alike that wait, three of them on a digest that was read to its end; which those are."""
    await house.know("Anna", ANNA)
    asked = [
        await house.ask(args={"to": [ANNA], "text": f"part {number}"}, call_id=f"plan-{number}:1")
        for number in range(6)
    ]
    for _ in range(2):
        await house.approvals.decide(house.tap_of(find(house, "▶")))
        await house.run()
    return asked[3:]


def find(house: House, label: str) -> Button:
    """The newest button whose label begins so."""
    lines = [line for card in house.channel.cards.values() for line in card.buttons]
    return [button for line in lines for button in line if button.label.startswith(label)][-1]


async def test_a_hundred_taps_on_approve_all_do_each_of_them_once(lasting_house: House) -> None:
    house = lasting_house
    together = await batch(house)
    button = find(house, "Approve all 3")
    answers = await asyncio.gather(*(house.approvals.decide(house.tap_of(button)) for _ in range(HUNDRED)))
    assert Counter(answer.tapped for answer in answers) == {Tapped.DECIDED: 1, Tapped.TOO_LATE: HUNDRED - 1}
    await house.after_undo_window()
    assert sorted(call.args.text for call in house.provider.effects) == ["part 3", "part 4", "part 5"]
    assert [await house.state(approval_id) for approval_id in together] == ["done"] * 3


async def test_a_hundred_taps_make_one_rule_and_save_it_once(lasting_house: House) -> None:
    house = lasting_house
    await house.know("Anna", ANNA)
    await house.ask()
    for label, drawn in (("Always…", "rule.proposed"), ("Save rule", "rule.saved")):
        button = find(house, label)
        await asyncio.gather(*(house.approvals.decide(house.tap_of(button)) for _ in range(HUNDRED)))
        await house.run()
        assert (await kinds(house))[drawn] == 1
    saved = await house.store.read(lambda c: rules.in_state(c, *RuleState))
    assert [rule.state for rule in saved] == ["active"]


def by_a_stranger(house: House, button: Button) -> Inbound:
    return house.tap_of(button, sender=STRANGER)


def elsewhere(house: House, button: Button) -> Inbound:
    return house.tap_of(button, chat=ELSEWHERE)


def guessed(house: House, button: Button) -> Inbound:
    return house.tap_of(button.data[:-1] + ("A" if button.data[-1] != "A" else "B"))


@pytest.mark.parametrize("label", ["▶", "Approve this", "Approve all", "Deny all", "Always…", "Any text", "Save rule"])
@pytest.mark.parametrize(
    ("tap_of", "tapped"),
    [(by_a_stranger, Tapped.FOREIGN), (elsewhere, Tapped.ELSEWHERE), (guessed, Tapped.UNKNOWN)],
)
async def test_whatever_the_button_nobody_else_presses_it_and_the_try_is_on_the_log(
    house: House, label: str, tap_of: Callable[[House, Button], Inbound], tapped: Tapped
) -> None:
    await batch(house)
    await house.approvals.decide(house.tap_of(find(house, "Always…")))
    await house.run()
    before = await kinds(house)
    answer = await house.approvals.decide(tap_of(house, find(house, label)))
    assert (answer.tapped, await kinds(house) - before) == (tapped, {"approval.tap_refused": 1})
    assert answer.text.endswith(("Nothing was done.", "what waits for you."))
    assert house.channel.answers[-1][1:] == (answer.text, True)
    assert len(await house.pending()) == 6


async def test_a_button_of_one_card_never_stands_for_another(house: House) -> None:
    first = await house.ask()
    approve_first = house.channel.button("Approve")
    second = await house.ask(call_id="plan-2:1")
    (other,) = list(house.channel.cards)[-1:]
    answer = await house.approvals.decide(house.tap_of(approve_first, message_ref=other))
    assert answer == TapAnswer(Tapped.DECIDED, answer.text, first)
    replayed = await house.approvals.decide(house.tap_of(approve_first, message_ref=other))
    assert (replayed.tapped, replayed.approval_id) == (Tapped.TOO_LATE, first)
    assert (await house.state(first), await house.state(second)) == ("approved", "pending")


async def test_every_button_of_a_card_that_was_changed_is_stale(house: House) -> None:
    await house.know("Anna", ANNA)
    approval_id = await house.ask()
    old = [button for line in house.channel.newest.buttons for button in line]
    change = Change("reply-1", text=Put("I'll be very late", OWN_WORDS))
    await house.write(lambda c: house.approvals.revise(c, approval_id, 1, change, house.clock.now()))
    answers = [await house.approvals.decide(house.tap_of(button)) for button in old]
    assert {answer.tapped for answer in answers} == {Tapped.STALE}
    assert await refusals(house) == {"stale": 3}
    await house.run()
    await house.tap("Approve")
    await house.after_undo_window()
    assert [call.args.text for call in house.provider.effects] == ["I'll be very late"]


@pytest.mark.parametrize("label", ["Approve", "Deny", "Always…"])
async def test_a_tap_after_the_time_is_up_decides_nothing_and_is_on_the_log(house: House, label: str) -> None:
    await house.know("Anna", ANNA)
    approval_id = await house.ask()
    house.clock.turn(hours=48)
    answer = await house.approvals.decide(house.tap_of(find(house, label)))
    assert answer.tapped is Tapped.TOO_LATE
    assert await refusals(house) == {"too late": 1}
    await house.run()
    assert (await house.state(approval_id), house.provider.calls) == ("expired", [])
    assert (await house.row(approval_id)).tool == SEND
    assert house.channel.answers[-1][0]
    assert OWNER not in answer.text
