"""`ConversationState` is true at every turn: its plan is what the rows say, its context what the steps have found."""

from typing import Any

from butler.contract.agents import OrchestratorOutput, PlanStep
from butler.contract.conversation import ConversationState
from butler.contract.inbound import InboundKind
from butler.orchestrator.planning.plan_types import Command, Unclear
from butler.store.queries import conversations, plans
from butler.store.tables import conversations as rows
from tests.orchestrator.house import NOTE, SEND, House, planned, step
from tests.orchestrator.readers import RENT, SEARCH, found, passage, wired
from tests.orchestrator.things import OWNER


async def state_of(house: House) -> ConversationState:
    return await house.store.read(lambda c: conversations.load(c, OWNER))


async def stands(house: House) -> list[tuple[int, str]] | None:
    """The steps of the current plan, with where each stands."""
    plan = (await state_of(house)).current_plan
    return None if plan is None else [(one.step_id, one.status) for one in plan]


async def send(house: House, text: str = "hello", number: int = 1) -> PlanStep:
    await house.meet()
    return step(number, SEND, to={"contact": await house.contact("Anna")}, text=text)


async def test_a_plan_that_waits_for_a_tap_is_in_progress_and_says_for_what(house: House) -> None:
    await house.say("tell Anna hello, then note milk", planned(await send(house), step(2, NOTE, 1, text="milk")))
    assert await stands(house) == [(1, "in_progress"), (2, "pending")]
    plan = (await state_of(house)).current_plan
    assert plan is not None
    assert plan[0].waiting_on
    await house.tap("Approve")
    assert await stands(house) == [(1, "completed"), (2, "completed")]


async def test_a_plan_that_was_denied_has_failed(house: House) -> None:
    await house.say("tell Anna hello", planned(await send(house)))
    await house.tap("Deny")
    assert await stands(house) == [(1, "failed")]
    plan = (await state_of(house)).current_plan
    assert plan is not None
    assert (plan[0].outcome or {})["approval"] == "denied"


async def test_another_request_is_the_turn_from_then_on_and_the_one_that_waits_does_not_come_back(house: House) -> None:
    wired(house)
    await house.say("tell Anna hello", planned(await send(house)))
    house.results[SEARCH] = [found(passage())]
    await house.say("what is my rent?", planned(step(1, SEARCH, question="what is my rent?")))
    assert await stands(house) == [(1, "completed")]
    assert [one.content for one in (await state_of(house)).accumulated_context] == [RENT]
    await house.say("hm?", Unclear("What do you mean?"))
    assert await stands(house) is None
    assert (await state_of(house)).accumulated_context == []
    # The first one goes on by its own row, and is not what is spoken of by now.
    await house.tap("Approve")
    assert house.sent() == ["hello"]
    assert await stands(house) is None


async def test_a_request_that_is_replaced_leaves_its_plan_behind(house: House) -> None:
    first = await house.say("tell Anna hello", planned(await send(house)))
    again = planned(await send(house, "goodbye"))
    await house.say("tell Anna goodbye", again, kind=InboundKind.EDITED, message_ref=first.message_ref)
    state = await state_of(house)
    assert state.current_plan is not None
    assert [(one.status, one.args["text"]) for one in state.current_plan] == [("in_progress", "goodbye")]
    assert state.turn != first.inbound_id


async def test_a_card_that_was_changed_by_a_reply_is_still_of_its_plan(house: House) -> None:
    await house.say("tell Anna I'll be ten minutes late", planned(await send(house, "I'll be ten minutes late")))
    await house.say("make it twenty minutes", reply_to=list(house.phone.cards)[-1])
    assert await stands(house) == [(1, "in_progress")]
    await house.tap("Approve")
    assert house.sent() == ["I'll be twenty minutes late"]
    assert await stands(house) == [(1, "completed")]


async def test_a_plan_that_was_cancelled_is_none(house: House) -> None:
    item = await house.say("tell Anna hello", planned(await send(house)))
    (plan,) = await house.plans_of(item)
    await house.store.write(lambda c: plans.ended(c, plan.plan_id, plans.PlanState.CANCELLED, house.clock.now()))
    assert await stands(house) is None


async def test_it_is_the_same_after_a_restart(house: House) -> None:
    await house.say("tell Anna hello", planned(await send(house)))
    house.start()
    assert await stands(house) == [(1, "in_progress")]
    await house.tap("Approve")
    house.start()
    assert await stands(house) == [(1, "completed")]


async def test_a_tap_on_what_was_offered_is_a_turn_of_its_own(house: House) -> None:
    wired(house)
    house.results[SEARCH] = [found(passage(), question="the rent"), found(passage("The boat is blue", "c-2"))]
    await house.say("what is my rent?", planned(step(1, SEARCH, question="what is my rent?")))
    asked = await state_of(house)
    await house.tap("1 ·")
    state = await state_of(house)
    assert state.turn != asked.turn
    assert state.current_plan is not None
    assert [one.tool_call for one in state.current_plan] != [SEARCH]


async def test_what_a_search_has_found_is_there_while_its_plan_still_waits(house: House) -> None:
    wired(house)
    house.results[SEARCH] = [found(passage())]
    sends = await send(house, number=2)
    await house.say("look up my rent, and tell Anna hello", planned(step(1, SEARCH, question="my rent"), sends))
    state = await state_of(house)
    assert await stands(house) == [(1, "completed"), (2, "in_progress")]
    assert [one.chunk_id for one in state.accumulated_context] == ["c-1"]


async def test_the_tailor_reads_what_the_conversation_holds(house: House) -> None:
    tailor = wired(house)
    house.results[SEARCH] = [found(passage(), passage("x" * 5_000, chunk_id="c-2"))]
    await house.say("hello", Command.HELP)
    await house.say("what is my rent?", planned(step(1, SEARCH, question="what is my rent?")))
    (given,) = tailor.asked
    state = await state_of(house)
    assert [one.chunk_id for one in given.context_chunks] == [one.chunk_id for one in state.accumulated_context]
    assert [len(one.content) for one in state.accumulated_context] == [len(RENT), 1_000]
    assert given.history == [message.content for message in state.history][:-1]


async def test_the_plan_is_stored_once_and_not_with_the_conversation(house: House) -> None:
    await house.say("tell Anna hello", planned(await send(house)))

    def stored(connection: Any) -> Any:
        return connection.execute(rows.select().where(rows.c.session_id == OWNER)).mappings().one()["state"]

    assert (await house.store.read(stored))["current_plan"] is None


async def test_what_a_request_came_to_is_given_once_it_has_ended(house: House) -> None:
    wired(house)
    given: list[OrchestratorOutput | None] = []

    async def advance(plan_id: str) -> None:
        given.append(await house.runner.advance(plan_id))

    house.handlers[plans.PLAN_STEP] = advance
    house.results[SEARCH] = [found(passage())]
    sends = await send(house, number=2)
    await house.say("my rent? and tell Anna hello", planned(step(1, SEARCH, question="my rent?"), sends))
    assert given == [None]
    await house.tap("Approve")
    output = given[-1]
    assert output is not None
    assert output.final_response.content == house.phone.said[-1]
    assert [one.source_id for one in output.final_response.citations] == ["mail:<rent@home>"]
    assert [one.status for one in output.execution_plan] == ["completed", "completed"]
    assert output.processing_time_total_ms > 0
    assert (output.metadata.agent_id, output.metadata.model_version) == ("orchestrator", "embedded")
