"""`ConversationState` is true at every turn: its plan is what the rows say, its context what the steps have found."""

from typing import Any

from butler.contract.agents import PlanStep
from butler.contract.inbound import InboundKind
from butler.orchestrator.execution.finishing import OrchestratorOutput
from butler.orchestrator.planning.plan_types import Command, Unclear
from butler.store.conversation import ConversationState
from butler.store.queries import conversations, plans
from butler.store.tables import conversations as rows
from tests.orchestrator.builders import OWNER
from tests.orchestrator.harness import NOTE, SEND, Harness, planned, step
from tests.orchestrator.readers import RENT, SEARCH, found, passage, wired


async def state_of(harness: Harness) -> ConversationState:
    return await harness.store.read(lambda c: conversations.load(c, OWNER))


async def stands(harness: Harness) -> list[tuple[int, str]] | None:
    """The steps of the current plan, with where each stands."""
    plan = (await state_of(harness)).current_plan
    return None if plan is None else [(one.step_id, one.status) for one in plan]


async def send(harness: Harness, text: str = "hello", number: int = 1) -> PlanStep:
    await harness.meet()
    return step(number, SEND, to={"contact": await harness.contact("Anna")}, text=text)


async def test_a_plan_that_waits_for_a_tap_is_in_progress_and_says_for_what(harness: Harness) -> None:
    await harness.say("tell Anna hello, then note milk", planned(await send(harness), step(2, NOTE, 1, text="milk")))
    assert await stands(harness) == [(1, "in_progress"), (2, "pending")]
    plan = (await state_of(harness)).current_plan
    assert plan is not None
    assert plan[0].waiting_on
    await harness.tap("Approve")
    assert await stands(harness) == [(1, "completed"), (2, "completed")]


async def test_a_plan_that_was_denied_has_failed(harness: Harness) -> None:
    await harness.say("tell Anna hello", planned(await send(harness)))
    await harness.tap("Deny")
    assert await stands(harness) == [(1, "failed")]
    plan = (await state_of(harness)).current_plan
    assert plan is not None
    assert (plan[0].outcome or {})["approval"] == "denied"


async def test_another_request_is_the_turn_from_then_on_and_the_one_that_waits_does_not_come_back(
    harness: Harness,
) -> None:
    wired(harness)
    await harness.say("tell Anna hello", planned(await send(harness)))
    harness.results[SEARCH] = [found(passage())]
    await harness.say("what is my rent?", planned(step(1, SEARCH, question="what is my rent?")))
    assert await stands(harness) == [(1, "completed")]
    assert [one.content for one in (await state_of(harness)).accumulated_context] == [RENT]
    await harness.say("hm?", Unclear("What do you mean?"))
    assert await stands(harness) is None
    assert (await state_of(harness)).accumulated_context == []
    # The first one goes on by its own row, and is not what is spoken of by now.
    await harness.tap("Approve")
    assert harness.sent() == ["hello"]
    assert await stands(harness) is None


async def test_a_request_that_is_replaced_leaves_its_plan_behind(harness: Harness) -> None:
    first = await harness.say("tell Anna hello", planned(await send(harness)))
    again = planned(await send(harness, "goodbye"))
    await harness.say("tell Anna goodbye", again, kind=InboundKind.EDITED, message_ref=first.message_ref)
    state = await state_of(harness)
    assert state.current_plan is not None
    assert [(one.status, one.args["text"]) for one in state.current_plan] == [("in_progress", "goodbye")]
    assert state.turn != first.inbound_id


async def test_a_card_that_was_changed_by_a_reply_is_still_of_its_plan(harness: Harness) -> None:
    await harness.say("tell Anna I'll be ten minutes late", planned(await send(harness, "I'll be ten minutes late")))
    await harness.say("make it twenty minutes", reply_to=list(harness.phone.cards)[-1])
    assert await stands(harness) == [(1, "in_progress")]
    await harness.tap("Approve")
    assert harness.sent() == ["I'll be twenty minutes late"]
    assert await stands(harness) == [(1, "completed")]


async def test_a_plan_that_was_cancelled_is_none(harness: Harness) -> None:
    item = await harness.say("tell Anna hello", planned(await send(harness)))
    (plan,) = await harness.plans_of(item)
    await harness.store.write(lambda c: plans.ended(c, plan.plan_id, plans.PlanState.CANCELLED, harness.clock.now()))
    assert await stands(harness) is None


async def test_it_is_the_same_after_a_restart(harness: Harness) -> None:
    await harness.say("tell Anna hello", planned(await send(harness)))
    harness.start()
    assert await stands(harness) == [(1, "in_progress")]
    await harness.tap("Approve")
    harness.start()
    assert await stands(harness) == [(1, "completed")]


async def test_a_tap_on_what_was_offered_is_a_turn_of_its_own(harness: Harness) -> None:
    wired(harness)
    harness.results[SEARCH] = [found(passage(), question="the rent"), found(passage("The boat is blue", "c-2"))]
    await harness.say("what is my rent?", planned(step(1, SEARCH, question="what is my rent?")))
    asked = await state_of(harness)
    await harness.tap("1 ·")
    state = await state_of(harness)
    assert state.turn != asked.turn
    assert state.current_plan is not None
    assert [one.tool_call for one in state.current_plan] != [SEARCH]


async def test_what_a_search_has_found_is_there_while_its_plan_still_waits(harness: Harness) -> None:
    wired(harness)
    harness.results[SEARCH] = [found(passage())]
    sends = await send(harness, number=2)
    await harness.say("look up my rent, and tell Anna hello", planned(step(1, SEARCH, question="my rent"), sends))
    state = await state_of(harness)
    assert await stands(harness) == [(1, "completed"), (2, "in_progress")]
    assert [one.chunk_id for one in state.accumulated_context] == ["c-1"]


async def test_the_tailor_reads_what_the_conversation_holds(harness: Harness) -> None:
    tailor = wired(harness)
    harness.results[SEARCH] = [found(passage(), passage("x" * 5_000, chunk_id="c-2"))]
    await harness.say("hello", Command.HELP)
    await harness.say("what is my rent?", planned(step(1, SEARCH, question="what is my rent?")))
    (given,) = tailor.asked
    state = await state_of(harness)
    assert [one.chunk_id for one in given.context_chunks] == [one.chunk_id for one in state.accumulated_context]
    assert [len(one.content) for one in state.accumulated_context] == [len(RENT), 1_000]
    assert given.history == [message.content for message in state.history][:-1]


async def test_the_plan_is_stored_once_and_not_with_the_conversation(harness: Harness) -> None:
    await harness.say("tell Anna hello", planned(await send(harness)))

    def stored(connection: Any) -> Any:
        return connection.execute(rows.select().where(rows.c.session_id == OWNER)).mappings().one()["state"]

    assert (await harness.store.read(stored))["current_plan"] is None


async def test_what_a_request_came_to_is_given_once_it_has_ended(harness: Harness) -> None:
    wired(harness)
    given: list[OrchestratorOutput | None] = []

    async def advance(plan_id: str) -> None:
        given.append(await harness.runner.advance(plan_id))

    harness.handlers[plans.PLAN_STEP] = advance
    harness.results[SEARCH] = [found(passage())]
    sends = await send(harness, number=2)
    await harness.say("my rent? and tell Anna hello", planned(step(1, SEARCH, question="my rent?"), sends))
    assert given == [None]
    await harness.tap("Approve")
    output = given[-1]
    assert output is not None
    assert output.final_response.content == harness.phone.said[-1]
    assert [one.source_id for one in output.final_response.citations] == ["mail:<rent@home>"]
    assert [one.status for one in output.execution_plan] == ["completed", "completed"]
    assert output.processing_time_total_ms > 0
    assert (output.metadata.agent_id, output.metadata.model_version) == ("orchestrator", "embedded")
