"""Nothing is done on a condition that no event tells, such as the weather."""
# names: made up here

from dataclasses import replace

import pytest

from butler.orchestrator.understanding.requests.unseen import unseen
from tests.understanding.marked import said


def condition(line: str, intent: str, language: str = "en") -> str:
    """The words that the question quotes; empty without a question."""
    one = replace(said(line, intent, language=language).request, language=language)
    asked = unseen([one])
    return asked.question.partition("without “")[2].partition("”")[0] if asked is not None else ""


@pytest.mark.parametrize(
    ("language", "line", "intent", "words"),
    [
        ("en", "whenever [it rains](trigger) [tell Anna to stay](action)", "automation.create", "whenever it rains"),
        ("en", "[every time it's sunny](every) remind me to [water](text)", "reminder.create", "every time it's sunny"),
        ("en", "whenever [the doorbell rings](trigger) [tell me](action)", "automation.create",
         "whenever the doorbell rings"),
        ("en", "when I get home, tell [Anna](to) [I'm there](reported)", "message.send", "when I get home"),
        ("de", "immer wenn es regnet, [sag Anna](action) [sie soll bleiben](reported)", "automation.create",
         "immer wenn es regnet"),
        ("de", "sobald es stark schneit, [sag Bob Bescheid](action)", "automation.create", "sobald es stark schneit"),
        ("de", "wenn die Sonne scheint, sag [Anna](to) [hallo](text)", "message.send", "wenn die Sonne scheint"),
        ("fr", "quand il pleut, dis à [Anna](to) d'[apporter un parapluie](reported)", "message.send",
         "quand il pleut"),
        ("fr", "dès qu'[il neige](trigger), [préviens Bob](action)", "automation.create", "dès qu'il neige"),
        ("fr", "s'il fait beau, dis à [Anna](to) [salut](text)", "message.send", "s'il fait beau"),
        ("es", "cada vez que [llueva](trigger) [dile a Anna que salga](action)", "automation.create",
         "cada vez que llueva"),
        ("es", "cuando haga sol, dile a [Anna](to) que [salga](reported)", "message.send", "cuando haga sol"),
    ],
)  # fmt: skip
def test_what_hangs_on_the_weather_is_asked_about(language: str, line: str, intent: str, words: str) -> None:
    assert condition(line, intent, language) == words


@pytest.mark.parametrize(
    ("line", "intent"),
    [
        ("whenever [a mail about rain comes](trigger) [tell me](action)", "automation.create"),
        ("whenever [the weather report comes](trigger) [tell me](action)", "automation.create"),
        ("tell [Anna](to) [when it rains we stay](reported)", "message.send"),
        ("remind me to [close the roof when it rains](text)", "reminder.create"),
        ("what do I do when it rains", "memory.ask"),
        ("[when I get home](time) remind me to [eat](text)", "reminder.create"),
    ],
)
def test_what_is_told_or_asks_is_not(line: str, intent: str) -> None:
    assert condition(line, intent) == ""
