"""A plan that takes a while shows how far it is, can be cancelled, and leaves no message that says "working"."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from butler.contract.card import OwnerMessage, plain, rich_text
from butler.contract.inbound import InboundKind
from butler.contract.integration import IntegrationResult
from butler.contract.tools import Attachment
from butler.orchestrator.replies.progress import PROGRESS, Progress
from butler.store.queries import outbox, work
from butler.store.queries.plans import PlanState
from tests.orchestrator.house import NOTE, READ, SEARCH, SEND, House, planned, step
from tests.orchestrator.things import mail_row, message, read_mail

MAILS = IntegrationResult(ok=True, data={"messages": [mail_row("Rent", "<1@x>")], "count": 1, "complete": True})
MAIL = IntegrationResult(ok=True, data=read_mail())
PLAN = planned(
    step(1, SEARCH, words="rent", description="Look for it."),
    step(2, READ, 1, message_id="<1@x>", description="Read it"),
    step(3, NOTE, 2, text="rent", description="Note it"),
)


def slowly(house: House, seconds: float = 3, then: Callable[[], Awaitable[Any]] | None = None) -> None:
    """Let the next call of a tool take a while, in which other work that is due is done."""

    async def wait() -> None:
        house.clock.time += timedelta(seconds=seconds)
        await beside(house)
        if then is not None:
            await then()

    house.meanwhile = wait


async def beside(house: House) -> None:
    """Do what is due beside the plan, as other lanes do."""
    for row in await house.store.read(lambda c: work.ready(c, house.clock.now())):
        if row.kind in {PROGRESS, outbox.DELIVER, outbox.REDRAW}:
            await house.handlers[row.kind](row.subject)
            await house.store.write(lambda c, row=row: work.done(c, row.work_id))
    for row in await house.store.read(lambda c: work.ready(c, house.clock.now())):
        if row.kind == outbox.DELIVER:
            await house.handlers[row.kind](row.subject)
            await house.store.write(lambda c, row=row: work.done(c, row.work_id))


async def test_a_quick_plan_shows_no_progress(house: House) -> None:
    house.results |= {SEARCH: [MAILS], READ: [MAIL]}
    await house.say("note the rent", PLAN)
    assert len(house.phone.messages) == 1
    house.clock.time += timedelta(seconds=5)
    await house.run()
    assert len(house.phone.messages) == 1


async def test_a_slow_plan_says_what_is_done_what_runs_and_what_comes_and_becomes_the_answer(house: House) -> None:
    house.results |= {SEARCH: [MAILS], READ: [MAIL]}
    seen: list[str] = []
    slowly(house, then=lambda: look(house, seen))
    await house.say("note the rent", PLAN)
    assert seen == ["⏳ Working on it: 0 of 3 done\n▸ Look for it\n· Read it\n· Note it"]
    assert len(house.phone.messages) == 1
    assert "📝 Noted: rent" in house.phone.said[0]
    assert house.phone.messages[0].buttons == ()


async def look(house: House, seen: list[str]) -> None:
    seen.append(house.phone.said[-1])


async def test_each_step_is_drawn_as_it_ends(house: House) -> None:
    house.results |= {SEARCH: [MAILS], READ: [MAIL]}
    drawn: list[str] = []
    real = house.phone.redraw

    async def redraw(ref: Any, message: Any) -> None:
        drawn.append(rich_text(message.text).splitlines()[0])
        await real(ref, message)

    house.phone.redraw = redraw  # type: ignore[method-assign]

    async def second() -> None:
        slowly(house, seconds=0.1)

    slowly(house, then=second)
    await house.say("note the rent", PLAN)
    assert "⏳ Working on it: 1 of 3 done" in drawn


async def test_after_a_long_time_the_answer_is_a_message_of_its_own_and_the_progress_is_closed(house: House) -> None:
    house.results |= {SEARCH: [MAILS], READ: [MAIL]}
    slowly(house, seconds=60)
    await house.say("note the rent", PLAN)
    assert house.phone.said[0] == "Ended: 3 of 3 done\n✓ Look for it\n✓ Read it\n✓ Note it"
    assert "📝 Noted: rent" in house.phone.said[1]
    assert house.phone.messages[0].buttons == ()


async def test_a_picture_of_an_answer_that_took_the_place_of_its_progress_follows_it(house: House) -> None:
    house.results |= {SEARCH: [MAILS], READ: [MAIL]}
    slowly(house)
    item = await house.say("note the rent", PLAN)
    (plan,) = await house.plans_of(item)
    chart = Attachment(name="cpu.png", size=9, sha256="0" * 64, media_type="image/png")
    answer = OwnerMessage(text=plain("CPU is at 97 %"), attachments=(chart,))
    shown = Progress(house.store, house.clock, lambda: None)
    await house.store.write(lambda c: shown.replace_with_answer(c, plan, answer, house.clock.now()))
    await house.run()
    first, second = house.phone.messages
    assert (rich_text(first.text), first.attachments) == ("CPU is at 97 %", ())
    assert (rich_text(second.text), second.attachments) == ("", (chart,))


async def test_a_plan_that_only_waits_for_a_card_shows_the_card_alone(house: House) -> None:
    to = {"contact": await house.contact("Anna")}
    await house.say("tell Anna", planned(step(1, SEND, to=to, text="hello")))
    house.clock.time += timedelta(seconds=5)
    await house.run()
    assert house.phone.messages == []
    assert len(house.phone.cards) == 1


async def test_a_slow_plan_can_be_cancelled_and_what_it_found_is_not_gone_on_with(house: House) -> None:
    house.results |= {SEARCH: [MAILS], READ: [MAIL]}

    async def cancel() -> None:
        await house.tapped(house.phone.buttons("Cancel")[-1])
        for row in await house.store.read(lambda c: work.ready(c, house.clock.now())):
            if row.kind == "inbound":
                await house.handlers[row.kind](row.subject)
                await house.store.write(lambda c, row=row: work.done(c, row.work_id))

    slowly(house, then=cancel)
    item = await house.say("note the rent", PLAN)
    assert house.phone.said[0].startswith("Cancelled: 0 of 3 done")
    assert house.phone.said[1] == "Cancelled. Nothing was done."
    assert [call.tool for call in house.calls] == [SEARCH]
    (plan,) = await house.plans_of(item)
    assert plan.state is PlanState.CANCELLED
    assert house.phone.buttons("Cancel") == []


async def test_cancelling_withdraws_cards_and_says_what_was_done_before(house: House) -> None:
    to = {"contact": await house.contact("Anna")}
    house.results |= {SEARCH: [MAILS]}
    slow = step(3, SEARCH, words="rent", description="Look for it")
    asks = step(2, SEND, to=to, text="hello", description="Tell Anna")
    await house.say("do it", planned(step(1, NOTE, text="rent", description="Note it"), asks, slow.model_copy()))
    item = await house.say("do it", planned(step(1, NOTE, text="x", description="Note it"), asks))
    (plan,) = await house.plans_of(item)
    button = await house.store.write(lambda c: cancel_of(c, plan, house))
    await house.press(button)
    assert house.phone.said[-1] == "Cancelled. Done before that: Note it."
    card = list(house.phone.cards.values())[-1]
    assert "cancelled the request" in rich_text(card.outcome)
    await house.press(button)
    assert house.phone.answers[-1] == "You have tapped this before."


def cancel_of(connection: Any, plan: Any, house: House) -> Any:
    from butler.orchestrator.replies.progress import cancel_button  # noqa: PLC0415 - only here

    return cancel_button(connection, plan, house.clock.now())


async def test_a_plan_that_has_ended_cannot_be_cancelled_any_more(house: House) -> None:
    item = await house.say("note it", planned(step(1, NOTE, text="x")))
    (plan,) = await house.plans_of(item)
    await house.press(await house.store.write(lambda c: cancel_of(c, plan, house)))
    assert house.phone.said[-1] == "That had ended before, so there was nothing to cancel."


async def test_nobody_but_the_owner_cancels(house: House) -> None:
    to = {"contact": await house.contact("Anna")}
    item = await house.say("tell Anna", planned(step(1, SEND, to=to, text="hello")))
    (plan,) = await house.plans_of(item)
    button = await house.store.write(lambda c: cancel_of(c, plan, house))
    await house.press(button, sender="telegram:666")
    (plan,) = await house.plans_of(item)
    assert plan.state is PlanState.RUNNING


async def test_a_kill_at_any_commit_of_a_slow_plan_leaves_no_message_that_says_working(house: House) -> None:
    """Each commit of a calm run is died after once; whoever starts anew draws what is true."""
    commits = await run_once(house, None)
    assert len(commits) > 6
    for number in range(len(commits)):
        fresh = await another(house)
        await run_once(fresh, number)
        texts = fresh.phone.said
        assert not [text for text in texts if text.startswith("⏳")], (number, commits[number], texts)
        assert any("📝 Noted: rent" in text for text in texts), (number, commits[number], texts)
        await fresh.store.close()


class Killed(BaseException):
    """The process is gone."""


async def another(house: House) -> House:
    from butler.store.store import Store  # noqa: PLC0415 - only here
    from butler.store.tables import metadata  # noqa: PLC0415 - only here

    store = Store("sqlite://")
    metadata.create_all(store.engine)
    return House(store)


async def run_once(house: House, kill_after: int | None) -> list[str]:
    """A slow plan, and the labels of its commits; the process is killed after one of them and started anew."""
    house.results |= {SEARCH: [MAILS, MAILS], READ: [MAIL, MAIL]}
    real, commits = house.store.write, []

    async def write(work_: Any, label: str = "", **more: Any) -> Any:
        result = await real(work_, label, **more)
        if label and label != "read":
            commits.append(label)
            if kill_after is not None and len(commits) == kill_after + 1:
                raise Killed
        return result

    house.store.write = write  # type: ignore[method-assign]
    slowly(house)
    house.script.outputs += [PLAN, PLAN]
    try:
        await house.say("note the rent")
    except Killed:
        house.start()
        await house.run()
    house.clock.time += timedelta(seconds=5)
    await house.run()
    house.store.write = real  # type: ignore[method-assign]
    return commits


async def test_an_edit_of_the_request_closes_the_progress_of_what_the_old_words_asked_for(house: House) -> None:
    house.results |= {SEARCH: [MAILS], READ: [MAIL]}

    async def edit() -> None:
        house.script.outputs.append(planned(step(1, NOTE, text="something else")))
        house.items += 1
        changed = {"inbound_id": "edit", "dedup_key": "edit", "message_ref": "5", "kind": InboundKind.EDITED}
        await house.come_in(message("note something else", **changed))
        for row in await house.store.read(lambda c: work.ready(c, house.clock.now())):
            if row.kind == "inbound":
                await house.handlers[row.kind](row.subject)
                await house.store.write(lambda c, row=row: work.done(c, row.work_id))

    slowly(house, then=edit)
    await house.say("note the rent", PLAN, message_ref="5")
    assert house.phone.said[0].startswith("Cancelled: 0 of 3 done")
    assert house.phone.said[-1] == "📝 Noted: something else"


async def test_a_plan_that_goes_on_slowly_after_a_yes_is_shown(house: House) -> None:
    to = {"contact": await house.contact("Anna")}
    house.results |= {SEARCH: [MAILS]}
    later = step(2, SEARCH, 1, words="rent", description="Look for it")
    await house.say("tell Anna, then look", planned(step(1, SEND, to=to, text="hello", description="Tell Anna"), later))
    house.clock.time += timedelta(minutes=2)
    seen: list[str] = []

    async def then() -> None:
        slowly(house, then=lambda: look(house, seen))

    house.meanwhile = then
    await house.tap("Approve")
    assert seen == ["⏳ Working on it: 1 of 2 done\n✓ Tell Anna\n▸ Look for it"]
