"""What steps take out of others' texts: typed values, conditions and drafts, under the labels of whoever wrote them."""

from typing import Any

import pytest

from butler.agents.budget import current_turn
from butler.agents.reader.port import ReaderInput, ReaderOutput
from butler.agents.reader.rule_reader import RuleReader
from butler.agents.tailor.port import TailorOutput
from butler.contract.agents import AgentFailure, ReadKind, When
from butler.contract.errors import AgentErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.speech import speak
from butler.orchestrator.execution.rounds import TurnLimits
from butler.orchestrator.planning.plan_types import Planned
from butler.orchestrator.results.outcomes import why_of
from butler.store.queries import plans, preferences
from config.language import OwnerLanguage
from tests.orchestrator.builders import NOON, read_mail
from tests.orchestrator.harness import BOT_SEND, READ, SEARCH, SEND, Harness, planned, step
from tests.orchestrator.readers import READ_FILE, StubMemory, document, passage, wired, worded
from tests.orchestrator.readers import SEARCH as MEMORY
from tests.orchestrator.readers import found as remembered

REMIND = "bot_reminders_create"
VIEWING = "Hello,\nthe viewing is on Tuesday, 14 April at 10:30. The contract would begin on 1 May.\nEve"
CONTRACT = "Either side may give notice of three months to the end of a quarter."


def reads(kind: str, ask: str = "when is the viewing?", source: Any = 1, **more: Any) -> dict[str, Any]:
    return {"from": source, "read": kind, "ask": ask, **more}


def drafts(ask: str = "what does it say about notice?", *sources: int) -> dict[str, Any]:
    return {"draft": {"from": list(sources or (1,)), "ask": ask}}


def mail(text: str = VIEWING) -> IntegrationResult:
    return IntegrationResult(ok=True, data=read_mail("Flat", text))


def if_read(kind: str = "yes_no", value: Any = True, is_: Any = "equal", source: int = 1) -> When:
    return When(step_id=source, read=ReadKind(kind), ask="does she come?", is_=is_, value=value)


async def remind(harness: Harness, *results: IntegrationResult, **at: Any) -> list[str]:
    harness.results[READ] = list(results)
    steps = (step(1, READ, message_id="<1@x>"), step(2, REMIND, 1, text="viewing", at=reads("date", **at)))
    await harness.say("remind me of the viewing", planned(*steps))
    return harness.phone.said


def reminded(day: str, clock: str) -> list[str]:
    """The reminders of these tests are London's, and the owner reads them an hour later."""
    hour, minutes = clock.split(":")
    return [f"⏰ I will remind you on {day} at {int(hour) + 1}:{minutes} (Europe/London): viewing"]


# Typed values


async def test_a_reminder_is_set_for_the_day_that_a_mail_says_and_needs_no_yes(harness: Harness) -> None:
    assert await remind(harness, mail()) == reminded("Tuesday 14 April 2026", "10:30")


async def test_what_reading_costs_is_counted_over_all_steps_of_a_request(harness: Harness) -> None:
    class Dear(RuleReader):
        """A reader of which each answer costs ten cents."""

        asked = 0

        async def read(self, given: ReaderInput) -> ReaderOutput | AgentFailure:
            async with current_turn().thinking() as turn:
                turn.pay(1_000, 0.1)
            self.asked += 1
            return await super().read(given)

    harness.reader, harness.limits = Dear(), TurnLimits(cost=0.15)
    harness.start()
    harness.results[READ] = [mail()]
    notes = [step(number, REMIND, 1, text=f"viewing {number}", at=reads("date")) for number in range(2, 7)]
    item = await harness.say("remind me of the viewing", planned(step(1, READ, message_id="<1@x>"), *notes))
    (plan,) = await harness.plans_of(item)
    assert [one.status for one in plan.steps] == ["completed"] * 3 + ["failed"] * 3
    assert harness.reader.asked == 2
    assert plan.spent["cost"] == pytest.approx(0.2)


async def test_a_day_is_moved_as_the_plan_says(harness: Harness) -> None:
    said = await remind(harness, mail(), days=-1, at="18:00")
    assert said == reminded("Monday 13 April 2026", "18:00")


async def test_a_day_without_a_time_is_the_morning_of_that_day(harness: Harness) -> None:
    said = await remind(harness, mail("Please pay by 14 April."))
    assert said == reminded("Tuesday 14 April 2026", "9:00")


async def test_where_a_mail_says_several_days_none_is_chosen_and_they_are_named(harness: Harness) -> None:
    (said,) = await remind(harness, mail(), ask="when?")
    assert said == "❌ Do 2: several days stand there: 14 April 2026 and 1 May 2026."


async def test_where_a_mail_says_no_day_nothing_is_set(harness: Harness) -> None:
    assert await remind(harness, mail("Hello.")) == ["❌ Do 2: I found no day there."]


async def test_an_amount_and_a_day_stand_in_a_message_as_they_are_said_and_the_card_names_their_source(
    harness: Harness,
) -> None:
    harness.results[READ] = [mail("The rent is 840 euros.")]
    tells = step(2, BOT_SEND, 1, to={"contact": await harness.contact("Anna")}, text=reads("amount", "the rent?"))
    await harness.say("tell Anna what the rent is", planned(step(1, READ, message_id="<1@x>"), tells))
    (card,) = harness.phone.cards.values()
    assert card.body == "840 EUR"
    assert "a mail by eve@evil.example" in "\n".join(card.reasons)
    assert harness.outputs() == []


async def test_a_contact_whom_a_mail_names_is_written_to_only_after_a_yes(harness: Harness) -> None:
    """The butler writes to known people by itself, but not to whom somebody else chose."""
    harness.results[READ] = [mail("Ask Mum for the keys.")]
    tells = step(2, BOT_SEND, 1, to=reads("contact", "who has the keys?"), text="have you the keys?")
    await harness.say("have you the keys?", planned(step(1, READ, message_id="<1@x>"), tells))
    assert harness.outputs() == []
    (card,) = harness.phone.cards.values()
    await harness.tap("Approve")
    (call,) = harness.outputs()
    assert call.args.to.address == "telegram:1004"
    assert card.reasons


@pytest.mark.parametrize("wrong", [{"read": "name"}, {"days": "x"}, {"further": 1}])
async def test_a_reference_that_is_none_is_refused(harness: Harness, wrong: dict[str, Any]) -> None:
    (said,) = await remind(harness, mail(), **wrong)
    assert said.startswith("❌ Do 2: bot_reminders_create: ")


async def test_what_holds_no_text_is_not_read(harness: Harness) -> None:
    (said,) = await remind(harness, mail(), source=7)
    assert said == "❌ Do 2: I have no text of that to read."


# Conditions


async def asked_to_come(harness: Harness, answer: str, **condition: Any) -> None:
    harness.results[READ] = [mail(answer)]
    to = {"contact": await harness.contact("Mum")}
    tells = step(2, BOT_SEND, to=to, text="I come", description="Send Mum a message")
    when = if_read(**condition)
    plan = planned(step(1, READ, message_id="<1@x>"), tells.model_copy(update={"when": when}))
    await harness.say("if she says yes, tell Mum: I come", plan)


async def test_a_step_that_hangs_on_a_yes_in_a_mail_asks_under_its_senders_label(harness: Harness) -> None:
    await asked_to_come(harness, "Yes, gladly!")
    assert harness.outputs() == []
    (card,) = harness.phone.cards.values()
    assert "a mail by eve@evil.example" in "\n".join(card.reasons)
    await harness.tap("Approve")
    assert harness.sent() == ["I come"]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("No, sorry.", "the answer there is no"),
        ("Yes, if it does not rain.", "both a yes and a no stand there"),
        ("Hello.", "I found neither a yes nor a no there"),
    ],
)
async def test_a_step_whose_condition_does_not_hold_is_left_out_and_the_reply_says_why(
    harness: Harness, answer: str, why: str
) -> None:
    await asked_to_come(harness, answer)
    assert harness.outputs() == []
    assert harness.phone.cards == {}
    assert f"➖ Left out: Send Mum a message. The reason: {why}." in harness.phone.said[-1]


@pytest.mark.parametrize(
    ("answer", "condition", "german"),
    [
        ("No, sorry.", {}, "die Antwort dort ist nein"),
        ("On 15 April.", {"kind": "date", "value": "2026-04-14"}, "dort steht 15. April 2026"),
    ],
)
async def test_why_a_step_was_left_out_is_stored_without_a_language(
    harness: Harness, answer: str, condition: dict[str, Any], german: str
) -> None:
    await asked_to_come(harness, answer, **condition)
    assert await why_not_done(harness, german) == german


async def test_why_a_step_was_refused_is_stored_without_a_language(harness: Harness) -> None:
    await remind(harness, mail("Hello."))
    german = "ich habe dort keinen Tag gefunden"
    assert await why_not_done(harness, german) == german


async def why_not_done(harness: Harness, german: str) -> str:
    """Why the last step was not done, as its row says it in German by now."""
    steps = await harness.store.read(lambda c: plans.last_steps(c, harness.phone.home() or "", 1))
    outcome = steps[-1].outcome or {}
    assert german not in why_of(outcome)
    speak(OwnerLanguage.GERMAN)
    return why_of(outcome)


async def test_a_doubt_is_no_no(harness: Harness) -> None:
    await asked_to_come(harness, "Yes, if it does not rain.", is_="not_equal")
    assert harness.phone.cards == {}


async def test_a_step_may_hang_on_a_day_an_amount_or_on_there_being_none(harness: Harness) -> None:
    await asked_to_come(harness, "On 14 April.", kind="date", value="2026-04-14")
    await asked_to_come(harness, "It is 840 euros.", kind="amount", value="840 EUR")
    await asked_to_come(harness, "Hello.", kind="date", value=None, is_="empty")
    assert len(harness.phone.cards) == 3
    await asked_to_come(harness, "It is 840 euros.", kind="amount", value="840 USD")
    assert len(harness.phone.cards) == 3


async def test_a_step_may_hang_on_more_or_less_of_what_a_text_says(harness: Harness) -> None:
    await asked_to_come(harness, "It is 840 euros.", kind="amount", value=500, is_="more")
    await asked_to_come(harness, "On 14 April.", kind="date", value="2026-04-15", is_="less")
    assert len(harness.phone.cards) == 2
    await asked_to_come(harness, "It is 840 euros.", kind="amount", value="840 EUR", is_="more")
    await asked_to_come(harness, "It is 840 euros.", kind="amount", value="500 USD", is_="more")
    await asked_to_come(harness, "On 14 April.", kind="date", value="2026-04-14", is_="less")
    await asked_to_come(harness, "Hello.", kind="amount", value=500, is_="less")
    assert len(harness.phone.cards) == 2


async def test_of_two_steps_one_of_which_is_needed_only_that_one_is_told(harness: Harness) -> None:
    harness.results[READ] = [mail("No, sorry.")]
    to = {"contact": await harness.contact("Mum")}
    yes, no = (step(n, SEND, to=to, text=text, description="Send Mum a message") for n, text in ((2, "yes"), (3, "no")))
    plan = planned(
        step(1, READ, message_id="<1@x>"),
        yes.model_copy(update={"when": if_read()}),
        no.model_copy(update={"when": if_read(value=False)}),
    )
    await harness.say("tell Mum whether she comes", plan)
    (card,) = harness.phone.cards.values()
    assert card.body == "no"
    await harness.tap("Approve")
    assert "Left out" not in "\n".join(harness.phone.said)


# Drafts


def contract() -> IntegrationResult:
    return document(CONTRACT, title="Contract")


def cited(content: str = f"“{CONTRACT}” [1]", **more: Any) -> TailorOutput:
    quote = {"source_id": "?", "chunk_id": f"file:{'a' * 64}#0", "text_snippet": CONTRACT, "url": None}
    return worded(content, **({"citations": [quote]} | more))


async def tell(harness: Harness, *steps: Any, tool: str = BOT_SEND, text: Any = None) -> None:
    to = {"contact": await harness.contact("Anna")}
    number = len(steps) + 1
    tells = step(number, tool, 1, to=to, text=text or drafts())
    await harness.say("tell Anna what the contract says about notice", planned(*steps, tells))


async def test_a_draft_waits_on_a_card_whole_without_numbers_and_with_its_sources(harness: Harness) -> None:
    tailor = wired(harness, cited(follow_up_suggestions=["What else?"]))
    harness.results[READ_FILE] = [contract()]
    await tell(harness, step(1, READ_FILE, file="a" * 64))
    (given,) = tailor.asked
    assert given.user_query == "what does it say about notice?"
    assert harness.outputs() == []
    (card,) = harness.phone.cards.values()
    assert card.body == f"“{CONTRACT}”"
    reasons = "\n".join(card.reasons)
    assert "a mail by landlord@flats.example" in reasons
    assert "a draft made of what was read" in reasons
    await harness.tap("Approve")
    assert harness.sent() == [f"“{CONTRACT}”"]
    assert harness.phone.said == []


async def test_a_draft_of_the_owners_own_notes_asks_as_well(harness: Harness) -> None:
    own = [{"trust": "owner", "source": "notes", "shown_as": "your own words"}]
    wired(harness, worded(citations=[{"source_id": "?", "chunk_id": "c-1", "text_snippet": "840 euros", "url": None}]))
    harness.results[MEMORY] = [remembered(passage(origins=own))]
    await tell(harness, step(1, MEMORY, question="the rent"))
    assert harness.outputs() == []
    (card,) = harness.phone.cards.values()
    assert "a draft made of what was read" in "\n".join(card.reasons)
    assert harness.phone.said == [], "what was looked up for a draft is not told as an answer, too"


@pytest.mark.parametrize(
    ("output", "why"),
    [
        (worded("What I found does not answer that.", citations=[]), "what I found does not say that"),
        (cited(citations=[{"source_id": "?", "chunk_id": "c-9", "text_snippet": "x y z", "url": None}]), "I could not"),
        (
            AgentFailure(agent_id="tailor", error_code=AgentErrorCode.TAILOR_HALLUCINATION, message="no"),
            "I could not word it so that the sources bear it out",
        ),
        (AgentFailure(agent_id="tailor", error_code=AgentErrorCode.TIMEOUT, message="late"), "I could not word it"),
    ],
)
async def test_where_the_sources_do_not_hold_it_that_is_said_and_nothing_is_drafted(
    harness: Harness, output: TailorOutput | AgentFailure, why: str
) -> None:
    wired(harness, output)
    harness.results[READ_FILE] = [contract()]
    await tell(harness, step(1, READ_FILE, file="a" * 64))
    assert harness.phone.cards == {}
    (said,) = harness.phone.said
    assert said.startswith(f"❌ Do 2: {why}")
    assert said.endswith(", so I drafted nothing.")


async def test_a_draft_is_worded_over_what_memory_keeps_of_a_document(harness: Harness) -> None:
    shelf = StubMemory([passage(CONTRACT, "k-1", source_id=f"file:{'a' * 64}")])
    tailor = wired(
        harness,
        cited(citations=[{"source_id": "?", "chunk_id": "k-1", "text_snippet": CONTRACT, "url": None}]),
        shelf=shelf,
    )
    harness.results[READ_FILE] = [contract()]
    await tell(harness, step(1, READ_FILE, file="a" * 64))
    assert [chunk.chunk_id for chunk in tailor.asked[0].context_chunks] == ["k-1"]
    assert len(harness.phone.cards) == 1


async def test_a_draft_knows_nothing_of_how_the_owner_likes_to_be_answered(harness: Harness) -> None:
    tailor = wired(harness, cited())
    harness.results[READ_FILE] = [contract(), contract()]
    for name, value in (("name", "Max"), ("length", "brief"), ("language", "de")):
        await harness.store.write(
            lambda c, name=name, value=value: preferences.put(c, name, value, said_in="1", now=NOON)
        )
    await tell(harness, step(1, READ_FILE, file="a" * 64))
    assert tailor.asked[-1].formatting_instructions is None
    assert tailor.asked[-1].history == []
    assert tailor.asked[-1].language == "de"


async def test_a_plan_that_searches_and_reads_first_drafts_of_what_it_read(harness: Harness) -> None:
    wired(harness, cited())
    row = {"message_id": "<1@x>", "from": "eve@evil.example", "from_name": "", "subject": "Flat", "date": None}
    harness.results[SEARCH] = [IntegrationResult(ok=True, data={"messages": [row], "count": 1, "complete": True})]
    harness.results[READ_FILE] = [contract()]
    steps: Planned = planned(step(1, SEARCH, words="flat"), step(2, READ_FILE, 1, file="a" * 64))
    to = {"contact": await harness.contact("Anna")}
    await harness.say("go", planned(*steps.steps, step(3, BOT_SEND, 2, to=to, text=drafts("notice?", 2))))
    assert len(harness.phone.cards) == 1
