"""A reply with what a source says is drafted in every language, and never holds the request itself."""

import pytest

from bench.understanding_scenes import tools
from butler.orchestrator.planning.plan_types import Planned
from tests.orchestrator.embedded import scene
from tests.orchestrator.readers import SEARCH as MEMORY

REPLIES = [
    ("Antworte auf die erste mit dem, was der Mietvertrag zur Kündigung sagt", "mail-2", "Kündigung"),
    ("antworte auf die zweite mit dem was in meinem Vertrag über die Kaution steht", "mail-3", "Kaution"),
    ("Antworte Anna mit dem, was im Mietvertrag zur Kündigung steht", "mail-4", "Kündigung"),
    ("Réponds au premier avec ce que dit le contrat sur le préavis", "mail-2", "préavis"),
    ("Réponds à Anna avec ce que dit mon contrat au sujet de la caution", "mail-4", "caution"),
    ("Responde al segundo con lo que dice el contrato sobre la fianza", "mail-3", "fianza"),
    ("Responde a Anna con lo que dice mi contrato acerca de la fianza", "mail-4", "fianza"),
]


@pytest.mark.parametrize(("words", "mail", "about"), REPLIES, ids=[words for words, *_ in REPLIES])
async def test_what_a_source_says_is_looked_up_in_the_owners_words_and_drafted(
    words: str, mail: str, about: str
) -> None:
    output = await scene.plan(words, tools=tools())
    assert isinstance(output, Planned), output
    search, reply = output.steps
    assert (search.tool_call, search.args) == (MEMORY, {"question": words})
    assert reply.args["message_id"] == {"handle": mail}
    assert reply.args["body"] == {"draft": {"from": [1], "ask": f"What does it say about {about}?"}}


@pytest.mark.parametrize("words", ["Antworte auf die erste: mit dem, was der Vertrag zur Kündigung sagt"])
async def test_what_is_dictated_stays_dictated(words: str) -> None:
    output = await scene.plan(words, tools=tools())
    assert isinstance(output, Planned)
    (reply,) = output.steps
    assert reply.args["body"] == "mit dem, was der Vertrag zur Kündigung sagt"
