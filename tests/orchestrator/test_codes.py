"""Each of the nine codes leads to what the table says of it."""

from dataclasses import replace
from typing import Any

import pytest

from butler.agents.memory.agent import NOTHING_YET, FailureCause
from butler.contract.door import failed
from butler.contract.errors import AgentErrorCode, IntegrationErrorCode
from butler.contract.integration import IntegrationError
from butler.contract.speech import say, speak
from butler.orchestrator.replies.failures import EXPECTED_ACTION, advise, agent_code, outcome_of
from config.language import OwnerLanguage
from modules.drive.module import DriveModule
from tests.orchestrator.harness import NOTE, READ, SEND, Harness, planned, step
from tests.orchestrator.harness import SEARCH as SEARCH_MAIL
from tests.orchestrator.readers import READ_FILE, READ_PAGE, SEARCH, agent_failed, found, passage, wired

FILE = step(1, READ_FILE, description="Read the file", file="a" * 64)
AFTER = step(2, NOTE, text="milk", description="Keep a note")


async def told(
    harness: Harness, code: AgentErrorCode, message: str, tool: str = READ_FILE, *, cause: str = "", **args: Any
) -> str:
    """What the owner reads of a plan whose first step ends with a code, and whose second one does not hang on it."""
    harness.results[tool] = [agent_failed(code, message, cause=cause)]
    args = args or {"file": "a" * 64}
    await harness.say("do it", planned(step(1, tool, description="Read it", **args), AFTER))
    return harness.phone.said[-1]


async def test_what_gives_orders_is_blocked_with_a_warning_and_the_rest_goes_on(harness: Harness) -> None:
    said = await told(harness, AgentErrorCode.GUARDRAIL_INJECTION, "it gives orders to an assistant")
    assert said.startswith("⛔ Read it: it gives orders to an assistant. I did nothing with it")
    assert said.endswith("📝 Noted: milk")


async def test_what_is_unsafe_is_not_shown(harness: Harness) -> None:
    said = await told(harness, AgentErrorCode.GUARDRAIL_UNSAFE, "it holds a key")
    assert said.startswith("⛔ Read it: it holds a key. I do not show it.")


async def test_an_account_that_is_signed_out_names_the_command_and_can_be_tried_again(harness: Harness) -> None:
    out = failed(IntegrationErrorCode.AUTH_REQUIRED, "the mailbox refused the credentials")
    harness.results[SEARCH_MAIL] = [out, out]
    await harness.say("look", planned(step(1, SEARCH_MAIL, words="rent", description="Look for it"), AFTER))
    assert harness.phone.said[0] == (
        "🔑 Look for it: the mailbox refused the credentials. Run `butler login gmail` to sign in again, then tap "
        "Try again; or leave it out.\n\n📝 Noted: milk"
    )
    await harness.tap("Try again")
    assert [call.tool for call in harness.calls] == [SEARCH_MAIL, SEARCH_MAIL]


async def test_what_acts_is_not_offered_again_by_a_button(harness: Harness) -> None:
    """Whose words it carried stands with the plan, not with a button."""
    spec = harness.registry.spec("bot_email_send_message")
    why = IntegrationError(code=IntegrationErrorCode.AUTH_REQUIRED, message="refused")
    advice = advise(step(1, spec.tool_name).model_copy(update={"outcome": outcome_of(why)}), spec, "Send it")
    assert advice is not None
    assert advice.offers == ()
    assert advice.text.endswith("then ask me again.")


def test_drive_names_its_own_command(harness: Harness) -> None:
    page = harness.registry.spec(READ_PAGE)
    drive = replace(page, tool_name="user_drive_read", channel="drive", about=DriveModule.about)
    why = IntegrationError(code=IntegrationErrorCode.AUTH_REQUIRED, message="no", provider_code="ERR_CONNECTOR_AUTH")
    advice = advise(FILE.model_copy(update={"outcome": {"ok": False, **outcome_of(why)}}), drive, "Read it")
    assert advice is not None
    assert "`butler login drive`" in advice.text
    assert [offer.label for offer in advice.offers] == ["Try again", "Nothing"]


async def test_a_page_that_wants_a_sign_in_is_left_out_and_said(harness: Harness) -> None:
    said = await told(
        harness, AgentErrorCode.CONNECTOR_AUTH, "the page wants a sign-in", READ_PAGE, url="https://a.example/"
    )
    assert said.startswith("❌ Read it: the page wants a sign-in. I left it out.")


@pytest.mark.parametrize("code", [AgentErrorCode.CONNECTOR_NOT_FOUND, AgentErrorCode.PARSER_UNSUPPORTED])
async def test_a_source_that_is_gone_or_cannot_be_read_is_said_and_left_out(
    harness: Harness, code: AgentErrorCode
) -> None:
    said = await told(harness, code, "there is nothing to read")
    assert said == "❌ Read it: there is nothing to read. I left it out.\n\n📝 Noted: milk"


async def test_a_step_that_hangs_on_what_was_left_out_is_left_out_too(harness: Harness) -> None:
    harness.results[READ_FILE] = [agent_failed(AgentErrorCode.PARSER_UNSUPPORTED, "nobody can read it")]
    hangs = step(2, SEND, 1, to={"contact": await harness.contact("Anna")}, text="x", description="Pass it on")
    await harness.say("do it", planned(FILE, hangs))
    assert harness.phone.cards == {}
    assert "❌ Pass it on: an earlier step did not work." in harness.phone.said[0]


async def test_a_file_whose_password_nobody_can_be_asked_for_is_left_out(harness: Harness) -> None:
    said = await told(harness, AgentErrorCode.PARSER_ENCRYPTED, "it is protected", READ_PAGE, url="https://a.example/")
    assert said.startswith("🔒 Read it: it is protected. I left it out.")


async def test_a_search_that_finds_nothing_offers_a_wider_one_and_then_to_look_at_what_there_is(
    harness: Harness,
) -> None:
    wired(harness)
    await told(harness, AgentErrorCode.MEMORY_NO_RESULTS, "nothing fits", SEARCH, question="the rent")
    assert "I found nothing about that: nothing fits." in harness.phone.said[-1]
    assert harness.phone.buttons("Search more widely")
    assert not harness.phone.buttons("What do you remember?")


async def test_a_wide_search_that_finds_nothing_offers_to_look_at_what_there_is(harness: Harness) -> None:
    wired(harness)
    await told(harness, AgentErrorCode.MEMORY_NO_RESULTS, "nothing fits", SEARCH, question="the rent", broad=True)
    assert harness.phone.buttons("What do you remember?")
    assert not harness.phone.buttons("Search more widely")


async def empty_memory(harness: Harness) -> None:
    code, cause = AgentErrorCode.MEMORY_NO_RESULTS, FailureCause.MEMORY_EMPTY
    await told(harness, code, say(NOTHING_YET), SEARCH, cause=cause, question="the rent")


async def test_a_search_of_an_empty_memory_offers_no_wider_one(harness: Harness) -> None:
    wired(harness)
    await empty_memory(harness)
    assert "I found nothing about that: nothing is remembered yet." in harness.phone.said[-1]
    assert not harness.phone.buttons("Search more widely")
    assert not harness.phone.buttons("What do you remember?")


async def test_an_empty_memory_is_known_in_any_language(harness: Harness) -> None:
    wired(harness)
    speak(OwnerLanguage.GERMAN)
    await empty_memory(harness)
    assert not harness.phone.buttons(say("Search more widely"))


async def test_what_took_too_long_is_read_once_more(harness: Harness) -> None:
    late = failed(IntegrationErrorCode.TIMEOUT, "it took too long")
    harness.results[READ] = [late, failed(IntegrationErrorCode.NOT_FOUND, "no such mail")]
    await harness.say("read it", planned(step(1, READ, message_id="<1@x>")))
    assert len(harness.calls) == 2
    assert harness.phone.said == ["Nothing found: no such mail."]


async def test_what_took_too_long_twice_is_said_and_can_be_tried_again(harness: Harness) -> None:
    late = failed(IntegrationErrorCode.TIMEOUT, "it took too long")
    harness.results[READ] = [late, late, late]
    await harness.say("read it", planned(step(1, READ, message_id="<1@x>", description="Read the mail")))
    assert len(harness.calls) == 2
    assert harness.phone.said == ["❌ Read the mail: it took too long."]
    assert harness.phone.buttons("Try again")


async def test_what_has_an_effect_is_never_done_again_because_it_took_too_long(harness: Harness) -> None:
    harness.results[SEND] = [failed(IntegrationErrorCode.TIMEOUT, "it took too long")] * 2
    to = {"contact": await harness.contact("Anna")}
    await harness.say("tell Anna", planned(step(1, SEND, to=to, text="hello")))
    await harness.tap("Approve")
    assert len(harness.calls) == 1


async def test_an_answer_that_no_source_bears_out_is_said_to_be_unknown(harness: Harness) -> None:
    wired(harness)
    said = await told(harness, AgentErrorCode.TAILOR_HALLUCINATION, "no source says it", SEARCH, question="the rent")
    assert said.startswith("I don't know: no source says it.")


@pytest.mark.parametrize("code", list(AgentErrorCode))
def test_every_code_has_an_action_and_words_of_its_own(harness: Harness, code: AgentErrorCode) -> None:
    assert code in EXPECTED_ACTION
    spec = harness.registry.spec(READ_FILE)
    outcome = outcome_of(IntegrationError(code=IntegrationErrorCode.REJECTED, message="why", provider_code=code.value))
    advice = advise(FILE.model_copy(update={"outcome": {"ok": False, **outcome}}), spec, "Read the file")
    assert advice is not None
    assert "why" in advice.text


def test_a_failure_of_a_channel_is_mapped_to_a_code_and_an_agents_own_goes_before() -> None:
    own = IntegrationError(code=IntegrationErrorCode.NOT_FOUND, message="x", provider_code="ERR_PARSER_ENCRYPTED")
    assert agent_code(own) is AgentErrorCode.PARSER_ENCRYPTED
    assert agent_code(own.model_copy(update={"provider_code": "404"})) is AgentErrorCode.CONNECTOR_NOT_FOUND
    assert agent_code(own.model_copy(update={"provider_code": "", "code": IntegrationErrorCode.INTERNAL})) is None


async def test_one_source_of_several_that_fails_leaves_the_others(harness: Harness) -> None:
    wired(harness)
    harness.results[SEARCH] = [found(passage())]
    harness.results[READ_FILE] = [agent_failed(AgentErrorCode.PARSER_UNSUPPORTED, "nobody can read it")]
    search = step(2, SEARCH, question="the rent?")
    await harness.say("what is the rent?", planned(FILE, search))
    assert harness.phone.said[0].startswith("It is 840 euros [1].")
    assert harness.phone.said[0].endswith("❌ Read the file: nobody can read it. I left it out.")
