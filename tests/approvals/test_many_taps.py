"""Many concurrent taps, and taps by others: one execution, and each refusal is answered and logged."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from itertools import cycle, islice
from pathlib import Path

import pytest

from approvals.revise import Change, NewValue
from approvals.tap_result import TapAnswer, TapResult
from butler.contract.card import Button
from butler.contract.inbound import Inbound
from butler.store.queries import audit, rules
from butler.store.queries.rules import RuleState
from butler.store.store import Store
from tests.approvals.harness import Harness, create_tables
from tests.approvals.phone import OWNER
from tests.approvals.providers import ANNA, OWN_WORDS, SEND, STRANGER
from tests.approvals.second_channel import Killed

HUNDRED = 100
ELSEWHERE = "telegram:-5"


@pytest.fixture
async def two_processes(tmp_path: Path) -> AsyncIterator[tuple[Harness, Harness]]:
    """Two processes on one file, with one phone, one provider and one clock."""
    url = f"sqlite:///{tmp_path}/butler.db"
    stores = create_tables(Store(url)), Store(url)
    first, second = map(Harness, stores)
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


async def shown_twice(harness: Harness) -> str:
    """Build an approval with two cards, because the process died between sending the first and recording it."""
    verdict = await harness.request()
    harness.channel.die = "after"
    with pytest.raises(Killed):
        await harness.run()
    harness.restart()
    await harness.run()
    assert len(harness.channel.cards) == 2
    assert verdict.approval_id
    return verdict.approval_id


async def refusals(harness: Harness) -> Counter[str]:
    rows = await harness.store.read(lambda c: audit.rows(c, limit=1000))
    return Counter(row.data["why"] for row in rows if row.kind == "approval.tap_refused")


async def kinds(harness: Harness) -> Counter[str]:
    return Counter(row.kind for row in await harness.store.read(lambda c: audit.rows(c, limit=1000)))


async def test_a_hundred_taps_on_two_cards_in_two_processes_are_one_execution(
    two_processes: tuple[Harness, Harness],
) -> None:
    first, second = two_processes
    approval_id = await shown_twice(first)
    buttons = [first.channel.button("Approve", card) for card in first.channel.cards.values()]
    assert len({button.data for button in buttons}) == 2
    jobs = zip(cycle(buttons), cycle((first, first, second)), strict=False)
    taps = [harness.approvals.decide(first.tap_of(button)) for button, harness in islice(jobs, HUNDRED)]
    answers = await asyncio.gather(*taps)
    assert Counter(answer.tapped for answer in answers) == {TapResult.DECIDED: 1, TapResult.TOO_LATE: HUNDRED - 1}
    await first.after_undo_window()
    assert len(first.provider.effects) == 1
    assert await second.state(approval_id) == "done"
    assert await refusals(second) == {"too late": HUNDRED - 1}
    assert await second.store.read(audit.verify) is None


async def test_among_a_hundred_taps_of_all_kinds_one_decides_and_the_rest_is_told_why(lasting_harness: Harness) -> None:
    harness = lasting_harness
    approval_id = await shown_twice(harness)
    approve, deny = harness.channel.button("Approve"), harness.channel.button("Deny")
    sorts = (
        harness.tap_of(approve),
        harness.tap_of(deny),
        harness.tap_of(approve, sender=STRANGER),
        harness.tap_of(deny, chat=ELSEWHERE),
        harness.tap_of("a:guess"),
    )
    answers = await asyncio.gather(*(harness.approvals.decide(tap) for tap in islice(cycle(sorts), HUNDRED)))
    told = Counter(answer.tapped for answer in answers)
    each = HUNDRED // len(sorts)
    assert told == {
        TapResult.DECIDED: 1,
        TapResult.TOO_LATE: 2 * each - 1,
        TapResult.FOREIGN: each,
        TapResult.ELSEWHERE: each,
        TapResult.UNKNOWN: each,
    }
    assert len(harness.channel.answers) == HUNDRED
    assert await refusals(harness) == {tapped.value: n for tapped, n in told.items() if tapped is not TapResult.DECIDED}
    await harness.after_undo_window()
    assert len(harness.provider.effects) == (1 if await harness.state(approval_id) == "done" else 0)


async def batch(harness: Harness) -> list[str]:
    """Six similar pending approvals, three of them on a batch card that was paged to its end; return which."""
    await harness.know("Anna", ANNA)
    asked = [
        await harness.ask(args={"to": [ANNA], "text": f"part {number}"}, call_id=f"plan-{number}:1")
        for number in range(6)
    ]
    for _ in range(2):
        await harness.approvals.decide(harness.tap_of(find(harness, "▶")))
        await harness.run()
    return asked[3:]


def find(harness: Harness, label: str) -> Button:
    """Return the newest button whose label begins like this."""
    lines = [line for card in harness.channel.cards.values() for line in card.buttons]
    return [button for line in lines for button in line if button.label.startswith(label)][-1]


async def test_a_hundred_taps_on_approve_all_do_each_of_them_once(lasting_harness: Harness) -> None:
    harness = lasting_harness
    together = await batch(harness)
    button = find(harness, "Approve all 3")
    answers = await asyncio.gather(*(harness.approvals.decide(harness.tap_of(button)) for _ in range(HUNDRED)))
    assert Counter(answer.tapped for answer in answers) == {TapResult.DECIDED: 1, TapResult.TOO_LATE: HUNDRED - 1}
    await harness.after_undo_window()
    assert sorted(call.args.text for call in harness.provider.effects) == ["part 3", "part 4", "part 5"]
    assert [await harness.state(approval_id) for approval_id in together] == ["done"] * 3


async def test_a_hundred_taps_make_one_rule_and_save_it_once(lasting_harness: Harness) -> None:
    harness = lasting_harness
    await harness.know("Anna", ANNA)
    await harness.ask()
    for label, drawn in (("Always…", "rule.proposed"), ("Save rule", "rule.saved")):
        button = find(harness, label)
        await asyncio.gather(*(harness.approvals.decide(harness.tap_of(button)) for _ in range(HUNDRED)))
        await harness.run()
        assert (await kinds(harness))[drawn] == 1
    saved = await harness.store.read(lambda c: rules.in_state(c, *RuleState))
    assert [rule.state for rule in saved] == ["active"]


def by_a_stranger(harness: Harness, button: Button) -> Inbound:
    return harness.tap_of(button, sender=STRANGER)


def elsewhere(harness: Harness, button: Button) -> Inbound:
    return harness.tap_of(button, chat=ELSEWHERE)


def guessed(harness: Harness, button: Button) -> Inbound:
    return harness.tap_of(button.data[:-1] + ("A" if button.data[-1] != "A" else "B"))


@pytest.mark.parametrize("label", ["▶", "Approve this", "Approve all", "Deny all", "Always…", "Any text", "Save rule"])
@pytest.mark.parametrize(
    ("tap_of", "tapped"),
    [(by_a_stranger, TapResult.FOREIGN), (elsewhere, TapResult.ELSEWHERE), (guessed, TapResult.UNKNOWN)],
)
async def test_whatever_the_button_nobody_else_presses_it_and_the_try_is_on_the_log(
    harness: Harness, label: str, tap_of: Callable[[Harness, Button], Inbound], tapped: TapResult
) -> None:
    await batch(harness)
    await harness.approvals.decide(harness.tap_of(find(harness, "Always…")))
    await harness.run()
    before = await kinds(harness)
    answer = await harness.approvals.decide(tap_of(harness, find(harness, label)))
    assert (answer.tapped, await kinds(harness) - before) == (tapped, {"approval.tap_refused": 1})
    assert answer.text.endswith(("Nothing was done.", "what waits for you."))
    assert harness.channel.answers[-1][1:] == (answer.text, True)
    assert len(await harness.pending()) == 6


async def test_a_button_of_one_card_never_stands_for_another(harness: Harness) -> None:
    first = await harness.ask()
    approve_first = harness.channel.button("Approve")
    second = await harness.ask(call_id="plan-2:1")
    (other,) = list(harness.channel.cards)[-1:]
    answer = await harness.approvals.decide(harness.tap_of(approve_first, message_ref=other))
    assert answer == TapAnswer(TapResult.DECIDED, answer.text, first)
    replayed = await harness.approvals.decide(harness.tap_of(approve_first, message_ref=other))
    assert (replayed.tapped, replayed.approval_id) == (TapResult.TOO_LATE, first)
    assert (await harness.state(first), await harness.state(second)) == ("approved", "pending")


async def test_every_button_of_a_card_that_was_changed_is_stale(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    approval_id = await harness.ask()
    old = [button for line in harness.channel.newest.buttons for button in line]
    change = Change("reply-1", text=NewValue("I'll be very late", OWN_WORDS))
    await harness.write(lambda c: harness.approvals.revise(c, approval_id, 1, change, harness.clock.now()))
    answers = [await harness.approvals.decide(harness.tap_of(button)) for button in old]
    assert {answer.tapped for answer in answers} == {TapResult.STALE}
    assert await refusals(harness) == {"stale": 3}
    await harness.run()
    await harness.tap("Approve")
    await harness.after_undo_window()
    assert [call.args.text for call in harness.provider.effects] == ["I'll be very late"]


@pytest.mark.parametrize("label", ["Approve", "Deny", "Always…"])
async def test_a_tap_after_the_time_is_up_decides_nothing_and_is_on_the_log(harness: Harness, label: str) -> None:
    await harness.know("Anna", ANNA)
    approval_id = await harness.ask()
    harness.clock.turn(hours=48)
    answer = await harness.approvals.decide(harness.tap_of(find(harness, label)))
    assert answer.tapped is TapResult.TOO_LATE
    assert await refusals(harness) == {"too late": 1}
    await harness.run()
    assert (await harness.state(approval_id), harness.provider.calls) == ("expired", [])
    assert (await harness.row(approval_id)).tool == SEND
    assert harness.channel.answers[-1][0]
    assert OWNER not in answer.text
