"""Words that take back or turn round what they follow are never sent unasked; marked off as a text they are."""

import pytest

from butler.orchestrator.planning.plan_types import Planned, Unclear
from tests.orchestrator.embedded import scene
from tests.orchestrator.embedded.requests import MAIL

MEANT_OTHERWISE = """
tell Carol or Anna that the car is ready
tell Carol (Anna) I'm late
email Carol <anna@friends.example> hello
tell Carol instead of Anna hi
tell Carol I'm late, but don't tell Anna
tell Carol not to tell Anna about the party
tell Carol I'm late. Actually don't.
tell Carol I'm late -- no wait, tell Anna instead
tell Carol hi, I mean Anna
tell Carol I'm late? No.
tell Carol hi, not
tell Carol hello; scratch that
email Carol hi. Never mind.
tell Carol, forget it
email Carol later
tell Carol that "I'm late" and Anna "I'm early"
sag Carol nichts
sag Carol bloß nichts davon
schreib Carol keine Mail
schreib Carol bitte keine Mail
schreib Carol auf keinen Fall
schreib Carol nie wieder
sag Carol hallo, nein doch nicht
sag Carol, ach vergiss es
dis à Carol rien
dis à Carol surtout pas
dis à Carol salut, enfin non
dis à Carol ou Anna que je viens
dile a Carol o Anna que voy
dile a Carol que no, mejor no
say nothing to Carol
erinnere mich nicht morgen um 9
""".strip().splitlines()
MEANT = [
    ("tell Carol: never mind", "never mind"),
    ("email Carol: hi - cancel that", "hi - cancel that"),
    ('tell Carol "not today"', "Not today"),
    ("tell Carol that never again is too long", "Never again is too long"),
    ("tell Carol that I'm late and not coming", "I'm late and not coming"),
    ("tell Carol I'll see you later", "I'll see you later"),
    ("sag Carol, dass nichts passiert ist", "Nichts ist passiert"),
    ("sag Carol: nichts davon", "nichts davon"),
    ("dis à Carol que je ne viens pas", "Je ne viens pas"),
]


@pytest.mark.parametrize("words", MEANT_OTHERWISE)
async def test_what_may_be_meant_for_the_butler_is_asked_about(words: str) -> None:
    assert isinstance(await scene.plan(words), Unclear)


@pytest.mark.parametrize(("words", "text"), MEANT, ids=[words for words, _ in MEANT])
async def test_what_is_marked_off_or_takes_nothing_back_is_sent_as_it_stands(words: str, text: str) -> None:
    output = await scene.plan(words)
    assert isinstance(output, Planned)
    assert [(step.tool_call, step.args["body"]) for step in output.steps] == [(MAIL, text)]
