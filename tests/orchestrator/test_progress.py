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
from butler.store.store import Store
from tests.orchestrator.builders import mail_row, message, read_mail
from tests.orchestrator.harness import NOTE, READ, SEARCH, SEND, Harness, planned, step
from tests.support.tables import create_tables

MAILS = IntegrationResult(ok=True, data={"messages": [mail_row("Rent", "<1@x>")], "count": 1, "complete": True})
MAIL = IntegrationResult(ok=True, data=read_mail())
PLAN = planned(
    step(1, SEARCH, words="rent", description="Look for it."),
    step(2, READ, 1, message_id="<1@x>", description="Read it"),
    step(3, NOTE, 2, text="rent", description="Note it"),
)


def slowly(harness: Harness, seconds: float = 3, then: Callable[[], Awaitable[Any]] | None = None) -> None:
    """Let the next call of a tool take a while, in which other work that is due is done."""

    async def wait() -> None:
        harness.clock.time += timedelta(seconds=seconds)
        await beside(harness)
        if then is not None:
            await then()

    harness.meanwhile = wait


async def beside(harness: Harness) -> None:
    """Do what is due beside the plan, as other lanes do."""
    for row in await harness.store.read(lambda c: work.ready(c, harness.clock.now())):
        if row.kind in {PROGRESS, outbox.DELIVER, outbox.REDRAW}:
            await harness.handlers[row.kind](row.subject)
            await harness.store.write(lambda c, row=row: work.done(c, row.work_id))
    for row in await harness.store.read(lambda c: work.ready(c, harness.clock.now())):
        if row.kind == outbox.DELIVER:
            await harness.handlers[row.kind](row.subject)
            await harness.store.write(lambda c, row=row: work.done(c, row.work_id))


async def test_a_quick_plan_shows_no_progress(harness: Harness) -> None:
    harness.results |= {SEARCH: [MAILS], READ: [MAIL]}
    await harness.say("note the rent", PLAN)
    assert len(harness.phone.messages) == 1
    harness.clock.time += timedelta(seconds=5)
    await harness.run()
    assert len(harness.phone.messages) == 1


async def test_a_slow_plan_says_what_is_done_what_runs_and_what_comes_and_becomes_the_answer(harness: Harness) -> None:
    harness.results |= {SEARCH: [MAILS], READ: [MAIL]}
    seen: list[str] = []
    slowly(harness, then=lambda: look(harness, seen))
    await harness.say("note the rent", PLAN)
    assert seen == ["⏳ Working on it: 0 of 3 done\n▸ Look for it\n· Read it\n· Note it"]
    assert len(harness.phone.messages) == 1
    assert "📝 Noted: rent" in harness.phone.said[0]
    assert harness.phone.messages[0].buttons == ()


async def look(harness: Harness, seen: list[str]) -> None:
    seen.append(harness.phone.said[-1])


async def test_each_step_is_drawn_as_it_ends(harness: Harness) -> None:
    harness.results |= {SEARCH: [MAILS], READ: [MAIL]}
    drawn: list[str] = []
    real = harness.phone.redraw

    async def redraw(ref: Any, message: Any) -> None:
        drawn.append(rich_text(message.text).splitlines()[0])
        await real(ref, message)

    harness.phone.redraw = redraw  # type: ignore[method-assign]

    async def second() -> None:
        slowly(harness, seconds=0.1)

    slowly(harness, then=second)
    await harness.say("note the rent", PLAN)
    assert "⏳ Working on it: 1 of 3 done" in drawn


async def test_after_a_long_time_the_answer_is_a_message_of_its_own_and_the_progress_is_closed(
    harness: Harness,
) -> None:
    harness.results |= {SEARCH: [MAILS], READ: [MAIL]}
    slowly(harness, seconds=60)
    await harness.say("note the rent", PLAN)
    assert harness.phone.said[0] == "Ended: 3 of 3 done\n✓ Look for it\n✓ Read it\n✓ Note it"
    assert "📝 Noted: rent" in harness.phone.said[1]
    assert harness.phone.messages[0].buttons == ()


async def test_a_picture_of_an_answer_that_took_the_place_of_its_progress_follows_it(harness: Harness) -> None:
    harness.results |= {SEARCH: [MAILS], READ: [MAIL]}
    slowly(harness)
    item = await harness.say("note the rent", PLAN)
    (plan,) = await harness.plans_of(item)
    chart = Attachment(name="cpu.png", size=9, sha256="0" * 64, media_type="image/png")
    answer = OwnerMessage(text=plain("CPU is at 97 %"), attachments=(chart,))
    shown = Progress(harness.store, harness.clock, lambda: None)
    await harness.store.write(lambda c: shown.replace_with_answer(c, plan, answer, harness.clock.now()))
    await harness.run()
    first, second = harness.phone.messages
    assert (rich_text(first.text), first.attachments) == ("CPU is at 97 %", ())
    assert (rich_text(second.text), second.attachments) == ("", (chart,))


async def test_a_plan_that_only_waits_for_a_card_shows_the_card_alone(harness: Harness) -> None:
    to = {"contact": await harness.contact("Anna")}
    await harness.say("tell Anna", planned(step(1, SEND, to=to, text="hello")))
    harness.clock.time += timedelta(seconds=5)
    await harness.run()
    assert harness.phone.messages == []
    assert len(harness.phone.cards) == 1


async def test_a_slow_plan_can_be_cancelled_and_what_it_found_is_not_gone_on_with(harness: Harness) -> None:
    harness.results |= {SEARCH: [MAILS], READ: [MAIL]}

    async def cancel() -> None:
        await harness.tapped(harness.phone.buttons("Cancel")[-1])
        for row in await harness.store.read(lambda c: work.ready(c, harness.clock.now())):
            if row.kind == "inbound":
                await harness.handlers[row.kind](row.subject)
                await harness.store.write(lambda c, row=row: work.done(c, row.work_id))

    slowly(harness, then=cancel)
    item = await harness.say("note the rent", PLAN)
    assert harness.phone.said[0].startswith("Cancelled: 0 of 3 done")
    assert harness.phone.said[1] == "Cancelled. Nothing was done."
    assert [call.tool for call in harness.calls] == [SEARCH]
    (plan,) = await harness.plans_of(item)
    assert plan.state is PlanState.CANCELLED
    assert harness.phone.buttons("Cancel") == []


async def test_cancelling_withdraws_cards_and_says_what_was_done_before(harness: Harness) -> None:
    to = {"contact": await harness.contact("Anna")}
    harness.results |= {SEARCH: [MAILS]}
    slow = step(3, SEARCH, words="rent", description="Look for it")
    asks = step(2, SEND, to=to, text="hello", description="Tell Anna")
    await harness.say("do it", planned(step(1, NOTE, text="rent", description="Note it"), asks, slow.model_copy()))
    item = await harness.say("do it", planned(step(1, NOTE, text="x", description="Note it"), asks))
    (plan,) = await harness.plans_of(item)
    button = await harness.store.write(lambda c: cancel_of(c, plan, harness))
    await harness.press(button)
    assert harness.phone.said[-1] == "Cancelled. Done before that: Note it."
    card = list(harness.phone.cards.values())[-1]
    assert "cancelled the request" in rich_text(card.outcome)
    await harness.press(button)
    assert harness.phone.answers[-1] == "You have tapped this before."


def cancel_of(connection: Any, plan: Any, harness: Harness) -> Any:
    from butler.orchestrator.replies.progress import cancel_button  # noqa: PLC0415 - only here

    return cancel_button(connection, plan, harness.clock.now())


async def test_a_plan_that_has_ended_cannot_be_cancelled_any_more(harness: Harness) -> None:
    item = await harness.say("note it", planned(step(1, NOTE, text="x")))
    (plan,) = await harness.plans_of(item)
    await harness.press(await harness.store.write(lambda c: cancel_of(c, plan, harness)))
    assert harness.phone.said[-1] == "That had ended before, so there was nothing to cancel."


async def test_nobody_but_the_owner_cancels(harness: Harness) -> None:
    to = {"contact": await harness.contact("Anna")}
    item = await harness.say("tell Anna", planned(step(1, SEND, to=to, text="hello")))
    (plan,) = await harness.plans_of(item)
    button = await harness.store.write(lambda c: cancel_of(c, plan, harness))
    await harness.press(button, sender="telegram:666")
    (plan,) = await harness.plans_of(item)
    assert plan.state is PlanState.RUNNING


async def test_a_kill_at_any_commit_of_a_slow_plan_leaves_no_message_that_says_working(harness: Harness) -> None:
    """Each commit of a calm run is died after once; whoever starts anew draws what is true."""
    commits = await run_once(harness, None)
    assert len(commits) > 6
    for number in range(len(commits)):
        fresh = await another(harness)
        await run_once(fresh, number)
        texts = fresh.phone.said
        assert not [text for text in texts if text.startswith("⏳")], (number, commits[number], texts)
        assert any("📝 Noted: rent" in text for text in texts), (number, commits[number], texts)
        await fresh.store.close()


class Killed(BaseException):
    """The process is gone."""


async def another(harness: Harness) -> Harness:
    store = Store("sqlite://")
    create_tables(store.engine)
    return Harness(store)


async def run_once(harness: Harness, kill_after: int | None) -> list[str]:
    """A slow plan, and the labels of its commits; the process is killed after one of them and started anew."""
    harness.results |= {SEARCH: [MAILS, MAILS], READ: [MAIL, MAIL]}
    real, commits = harness.store.write, []

    async def write(work_: Any, label: str = "", **more: Any) -> Any:
        result = await real(work_, label, **more)
        if label and label != "read":
            commits.append(label)
            if kill_after is not None and len(commits) == kill_after + 1:
                raise Killed
        return result

    harness.store.write = write  # type: ignore[method-assign]
    slowly(harness)
    harness.script.outputs += [PLAN, PLAN]
    try:
        await harness.say("note the rent")
    except Killed:
        harness.start()
        await harness.run()
    harness.clock.time += timedelta(seconds=5)
    await harness.run()
    harness.store.write = real  # type: ignore[method-assign]
    return commits


async def test_an_edit_of_the_request_closes_the_progress_of_what_the_old_words_asked_for(harness: Harness) -> None:
    harness.results |= {SEARCH: [MAILS], READ: [MAIL]}

    async def edit() -> None:
        harness.script.outputs.append(planned(step(1, NOTE, text="something else")))
        harness.items += 1
        changed = {"inbound_id": "edit", "dedup_key": "edit", "message_ref": "5", "kind": InboundKind.EDITED}
        await harness.come_in(message("note something else", **changed))
        for row in await harness.store.read(lambda c: work.ready(c, harness.clock.now())):
            if row.kind == "inbound":
                await harness.handlers[row.kind](row.subject)
                await harness.store.write(lambda c, row=row: work.done(c, row.work_id))

    slowly(harness, then=edit)
    await harness.say("note the rent", PLAN, message_ref="5")
    assert harness.phone.said[0].startswith("Cancelled: 0 of 3 done")
    assert harness.phone.said[-1] == "📝 Noted: something else"


async def test_a_plan_that_goes_on_slowly_after_a_yes_is_shown(harness: Harness) -> None:
    to = {"contact": await harness.contact("Anna")}
    harness.results |= {SEARCH: [MAILS]}
    later = step(2, SEARCH, 1, words="rent", description="Look for it")
    await harness.say(
        "tell Anna, then look", planned(step(1, SEND, to=to, text="hello", description="Tell Anna"), later)
    )
    harness.clock.time += timedelta(minutes=2)
    seen: list[str] = []

    async def then() -> None:
        slowly(harness, then=lambda: look(harness, seen))

    harness.meanwhile = then
    await harness.tap("Approve")
    assert seen == ["⏳ Working on it: 1 of 2 done\n✓ Tell Anna\n▸ Look for it"]
