"""One session a chat and topic: what was said, shown and found in one is not spoken of in another."""

from butler.contract.integration import IntegrationResult
from butler.orchestrator.planning.plan_types import Command
from butler.orchestrator.planning.preferences import Preference, PreferenceName
from butler.store.conversation import HISTORY_LIMIT
from butler.store.queries import conversations
from tests.orchestrator.builders import OWNER, mail_row
from tests.orchestrator.harness import NOTE, SEARCH, Harness, planned, step

TOPIC, OTHER = "telegram:-100123:7", "telegram:-100123:8"


async def test_a_topic_has_a_conversation_of_its_own(harness: Harness) -> None:
    rows = {"messages": [mail_row("Rent", "<1@x>")], "count": 1}
    harness.results[SEARCH] = [IntegrationResult(ok=True, data=rows)]
    await harness.say("any mail?", planned(step(1, SEARCH)), chat=TOPIC)
    for chat in (OTHER, OWNER, TOPIC):
        await harness.say("read the first one", planned(step(1, NOTE, text=chat)), chat=chat)
    handles = [[r.handle for r in request.referents] for request in harness.script.requests]
    assert handles == [[], [], [], ["mail-1"]]
    assert [len(request.history) for request in harness.script.requests] == [0, 0, 0, 2]


async def test_what_is_preferred_holds_in_every_conversation(harness: Harness) -> None:

    await harness.say("answer in French", Preference(PreferenceName.LANGUAGE, "fr"), chat=TOPIC)
    await harness.say("how are you?", Command.STATUS, chat=OTHER)
    assert harness.script.requests[-1].language == "fr"


async def test_a_conversation_is_bounded(harness: Harness) -> None:
    for number in range(HISTORY_LIMIT):
        await harness.say(f"how are you? {number}", Command.STATUS)
    state = await harness.store.read(lambda c: conversations.load(c, OWNER))
    assert len(state.history) == HISTORY_LIMIT
    assert state.history[-2].content == f"how are you? {HISTORY_LIMIT - 1}"
