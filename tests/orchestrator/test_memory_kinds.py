"""What is remembered is told by kind and count, with a button to see each kind."""

from butler.contract.integration import IntegrationResult
from tests.orchestrator.harness import Harness
from tests.orchestrator.readers import LIST, remember
from tests.support.reading import reading_planner


def listed(**counts: int) -> IntegrationResult:
    sources = [
        {"source_id": f"mail:{number}", "kind": "mail", "title": f"Rent {number}", "at": "2026-03-01T09:00:00Z"}
        for number in (1, 2)
    ]
    return IntegrationResult(ok=True, data={"sources": sources, "counts": counts})


async def asked(harness: Harness, words: str, *results: IntegrationResult) -> str:
    remember(harness)
    harness.planner = reading_planner()
    harness.start()
    harness.results[LIST] = list(results)
    await harness.say(words)
    return harness.phone.said[-1]


async def test_what_is_remembered_is_counted_by_kind_and_each_kind_is_a_tap_away(harness: Harness) -> None:
    text = await asked(harness, "what do you remember?", listed(note=4, mail=12, chat=1), listed(note=4))
    assert text.startswith("In memory: 12 mails, 1 day of a chat and 4 notes.\n\n1. ")
    assert "Rent 1" in text
    labels = [button.label for row in harness.phone.messages[-1].buttons for button in row]
    assert labels == ["Show the mails", "Show the chats", "Show the notes"]
    await harness.tap("Show the notes")
    assert [call.args.kind for call in harness.calls if call.tool == LIST] == ["", "note"]


async def test_of_one_kind_there_is_nothing_else_to_choose(harness: Harness) -> None:
    assert (await asked(harness, "what do you know about me?", listed(mail=2))).startswith("In memory: 2 mails.\n\n1. ")
    assert harness.phone.messages[-1].buttons == ()
