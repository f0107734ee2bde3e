"""A step is repeated for each thing that was found: bounded, stored before it begins, asked about like any other."""

from typing import Any

import pytest

from butler.contract.agents import PlanStep, When
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.orchestrator.execution.loops import MOST_REPEATS, MOST_STEPS, LoopError, is_loop, repeated
from tests.orchestrator.builders import mail_row
from tests.orchestrator.harness import NOTE, READ, SEARCH, SEND, Harness, planned, step

EACH = {"step": 1, "fact": "messages.*.subject"}


def mails(count: int) -> IntegrationResult:
    rows = [mail_row(f"Bill {n}", f"<{n}@x>") for n in range(1, count + 1)]
    return IntegrationResult(ok=True, data={"messages": rows, "count": count, "complete": True})


def found(count: int) -> PlanStep:
    return step(1, SEARCH, words="bill").model_copy(
        update={"status": "completed", "outcome": {"ok": True, "data": mails(count).data}}
    )


async def test_a_step_is_done_for_each_thing_and_what_waits_for_it_waits_for_all(harness: Harness) -> None:
    harness.results[SEARCH] = [mails(3)]
    notes = step(2, NOTE, 1, text=EACH)
    last = step(3, NOTE, 2, text="all noted")
    item = await harness.say("note each bill", planned(step(1, SEARCH, words="bill"), notes, last))
    (plan,) = await harness.plans_of(item)
    assert [(one.step_id, one.args["text"]) for one in plan.steps if one.tool_call == NOTE] == [
        (2, {"step": 1, "fact": "messages.0.subject"}),
        (3, "all noted"),
        (4, {"step": 1, "fact": "messages.1.subject"}),
        (5, {"step": 1, "fact": "messages.2.subject"}),
    ]
    assert plan.steps[2].depends_on == [2, 4, 5]
    assert all(one.status == "completed" for one in plan.steps)


async def test_each_of_them_asks_where_one_would(harness: Harness) -> None:
    harness.results[SEARCH] = [mails(2)]
    tells = step(2, SEND, 1, to={"contact": await harness.contact("Anna")}, text=EACH)
    await harness.say("tell Anna each subject", planned(step(1, SEARCH, words="bill"), tells))
    assert harness.outputs() == []
    assert sorted(card.body for card in harness.phone.cards.values()) == ["Bill 1", "Bill 2"]


@pytest.mark.parametrize(("count", "said"), [(0, "nothing was found, so I did not do it"), (21, "that is 21 things")])
async def test_nothing_and_too_much_are_told_and_nothing_is_done(harness: Harness, count: int, said: str) -> None:
    harness.results[SEARCH] = [mails(count)]
    await harness.say("note each bill", planned(step(1, SEARCH, words="bill"), step(2, NOTE, 1, text=EACH)))
    assert said in harness.phone.said[-1]
    assert harness.calls == harness.calls[:1]


async def test_after_a_crash_between_the_repeats_the_rest_is_done_once(harness: Harness) -> None:
    harness.results |= {SEARCH: [mails(2)], READ: [IntegrationResult(ok=True, data={}) for _ in range(2)]}

    async def crash() -> None:
        raise CrashError

    async def first() -> None:
        harness.meanwhile = crash

    harness.meanwhile = first
    reads = step(2, READ, 1, message_id={"step": 1, "fact": "messages.*.message_id"})
    with pytest.raises(CrashError):
        await harness.say("read each bill", planned(step(1, SEARCH, words="bill"), reads))
    harness.start()
    await harness.run()
    assert [call.args.message_id for call in harness.calls if call.tool == READ] == ["<1@x>", "<1@x>", "<2@x>"]


class CrashError(Exception):
    """The process ends here."""


async def test_a_step_is_not_repeated_for_each_of_two_lists_with_each(harness: Harness) -> None:
    harness.results[SEARCH] = [mails(3), mails(3)]
    both = step(3, NOTE, 1, 2, text=[EACH, {"step": 2, "fact": "messages.*.subject"}])
    first, second = step(1, SEARCH, words="a"), step(2, SEARCH, words="b")
    item = await harness.say("note each", planned(first, second, both))
    (plan,) = await harness.plans_of(item)
    assert len(plan.steps) == 3
    assert "several lists" in harness.phone.said[-1]


async def test_after_a_search_that_failed_nothing_is_said_to_have_been_found(harness: Harness) -> None:
    harness.results[SEARCH] = [failed(IntegrationErrorCode.REJECTED, "no way")]
    await harness.say("note each", planned(step(1, SEARCH, words="a"), step(2, NOTE, 1, text=EACH)))
    assert "no way" in harness.phone.said[-1]
    assert "found nothing" not in harness.phone.said[-1]


async def test_where_its_condition_does_not_hold_a_step_is_left_out_once(harness: Harness) -> None:
    harness.results[SEARCH] = [mails(3)]
    when = When(step_id=1, fact="count", is_="equal", value=0)
    notes = step(2, NOTE, 1, text=EACH).model_copy(update={"when": when})
    item = await harness.say("note each if there is none", planned(step(1, SEARCH, words="a"), notes))
    (plan,) = await harness.plans_of(item)
    assert [one.status for one in plan.steps] == ["completed", "failed"]


def test_only_a_path_with_a_star_repeats_a_step() -> None:
    assert is_loop(step(2, NOTE, text=EACH))
    assert not is_loop(step(2, NOTE, text={"step": 1, "fact": "messages.0.subject"}))
    assert not is_loop(step(2, NOTE, text="messages.*.subject"))


@pytest.mark.parametrize("args", [{"text": EACH}, {"to": [{"list": [EACH]}], "text": "x"}])
def test_each_repeat_has_the_fact_at_its_position_at_any_depth(args: dict[str, Any]) -> None:
    steps = repeated(step(2, NOTE, **args), [found(MOST_REPEATS), step(2, NOTE)])
    assert [one.step_id for one in steps] == [2, *range(3, MOST_REPEATS + 2)]
    assert [f"messages.{n}.subject" in str(one.args) for n, one in enumerate(steps)] == [True] * MOST_REPEATS
    assert "*" not in str([one.args for one in steps])


def test_a_list_within_a_list_repeats_nothing() -> None:
    inner = {"step": 1, "fact": "messages.*.to.*.address"}
    with pytest.raises(LoopError):
        repeated(step(2, NOTE, text=inner), [found(2)])


def test_a_list_that_is_not_there_repeats_nothing() -> None:
    with pytest.raises(LoopError):
        repeated(step(2, NOTE, text={"step": 1, "fact": "events.*.start"}), [found(2)])


def test_a_request_does_not_grow_without_end_by_many_repeated_steps() -> None:
    others = [step(number, NOTE) for number in range(2, MOST_STEPS)]
    with pytest.raises(LoopError):
        repeated(step(2, NOTE, text=EACH), [found(3), *others])
    assert len(repeated(step(2, NOTE, text=EACH), [found(2), *others])) == 2
