"""What is remembered is told by kind and count, with a button to see each kind."""

from butler.contract.integration import IntegrationResult
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from tests.orchestrator.house import House
from tests.orchestrator.readers import LIST, remember


def listed(**counts: int) -> IntegrationResult:
    sources = [
        {"source_id": f"mail:{number}", "kind": "mail", "title": f"Rent {number}", "at": "2026-03-01T09:00:00Z"}
        for number in (1, 2)
    ]
    return IntegrationResult(ok=True, data={"sources": sources, "counts": counts})


async def asked(house: House, words: str, *results: IntegrationResult) -> str:
    remember(house)
    house.planner = EmbeddedPlanner()
    house.start()
    house.results[LIST] = list(results)
    await house.say(words)
    return house.phone.said[-1]


async def test_what_is_remembered_is_counted_by_kind_and_each_kind_is_a_tap_away(house: House) -> None:
    text = await asked(house, "what do you remember?", listed(note=4, mail=12, chat=1), listed(note=4))
    assert text.startswith("In memory: 12 mails, 1 day of a chat and 4 notes.\n\n1. ")
    assert "Rent 1" in text
    labels = [button.label for row in house.phone.messages[-1].buttons for button in row]
    assert labels == ["Show the mails", "Show the chats", "Show the notes"]
    await house.tap("Show the notes")
    assert [call.args.kind for call in house.calls if call.tool == LIST] == ["", "note"]


async def test_of_one_kind_there_is_nothing_else_to_choose(house: House) -> None:
    assert (await asked(house, "what do you know about me?", listed(mail=2))).startswith("In memory: 2 mails.\n\n1. ")
    assert house.phone.messages[-1].buttons == ()
