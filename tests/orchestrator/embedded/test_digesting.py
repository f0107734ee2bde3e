"""What is said of digests and of answers that are waited for, in four languages: Wednesday 4 March 2026, 10:30."""
# names: made up here

from typing import Any

import pytest

from butler.orchestrator.planning.plan_types import Command, Planned, Unclear
from tests.orchestrator.embedded.scene import plan

SET, SKIP, WATCH = "bot_digests_set_time", "bot_digests_skip", "bot_digests_watch_answer"
ANNA, BOB = {"address": "mail:anna@friends.example"}, {"address": "telegram:5002"}
SEVEN = [(SET, {"kind": "morning", "at": "07:00"})]
OFF = [(SET, {"kind": "morning"}), (SET, {"kind": "evening"})]
TOMORROW = [(SKIP, {"day": "2026-03-05"})]
FRIDAY = [(WATCH, {"who": ANNA, "until": "2026-03-06T18:00:00"})]
BOBS = [(WATCH, {"who": BOB})]
ROWS: list[tuple[str, list[tuple[str, dict[str, Any]]]]] = [
    ("send me a digest every morning at 7", SEVEN),
    ("please give me a daily briefing every morning at 7 am", SEVEN),
    ("send me a digest every evening at 8", [(SET, {"kind": "evening", "at": "20:00"})]),
    ("send me the morning digest every day", [(SET, {"kind": "morning", "at": "07:30"})]),
    ("no digest tomorrow", TOMORROW),
    ("skip the digest on Friday", [(SKIP, {"day": "2026-03-06"})]),
    ("no more digests", OFF),
    ("stop the evening digest", [(SET, {"kind": "evening"})]),
    ("tell me if Anna doesn't answer by Friday", FRIDAY),
    ("let me know if Anna hasn't replied by Friday", FRIDAY),
    ("tell me unless Anna answers by Friday", FRIDAY),
    ("tell me if Anna doesn't answer within 2 days", [(WATCH, {"who": ANNA, "until": "2026-03-06T18:00:00"})]),
    ("I'm waiting for Bob's reply", BOBS),
    ("I am still waiting for an answer from Bob", BOBS),
    ("wait for a reply from Bob until tomorrow at 5pm", [(WATCH, {"who": BOB, "until": "2026-03-05T17:00:00"})]),
    ("Schick mir jeden Morgen um 7 einen Überblick", SEVEN),
    ("morgen keinen Überblick", TOMORROW),
    ("keinen Überblick mehr", OFF),
    ("Sag mir Bescheid, wenn Anna bis Freitag nicht antwortet", FRIDAY),
    ("Ich warte auf eine Antwort von Bob", BOBS),
    ("Envoie-moi un résumé chaque matin à 7 heures", SEVEN),
    ("pas de résumé demain", TOMORROW),
    ("préviens-moi si Anna ne répond pas avant vendredi", FRIDAY),
    ("j'attends une réponse de Bob", BOBS),
    ("Envíame un resumen cada mañana a las 7", SEVEN),
    ("sin resumen mañana", TOMORROW),
    ("avísame si Anna no responde antes del viernes", FRIDAY),
    ("estoy esperando una respuesta de Bob", BOBS),
]


@pytest.mark.parametrize(("words", "wanted"), ROWS, ids=lambda one: str(one)[:60])
async def test_words_set_digests_and_waits(words: str, wanted: list[tuple[str, dict[str, Any]]]) -> None:
    found = await plan(words)
    assert isinstance(found, Planned), found
    assert [(step.tool_call, step.args) for step in found.steps] == wanted


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("digest", Command.DIGEST),
        ("show me my digest", Command.DIGEST),
        ("how does my day look", Command.DIGEST),
        ("zeig mir meinen Überblick", Command.DIGEST),
        ("résumé du jour", Command.DIGEST),
        ("resumen del día", Command.DIGEST),
        ("what am I waiting for", Command.WAITING),
        ("who hasn't answered yet", Command.WAITING),
        ("worauf warte ich", Command.WAITING),
        ("qui ne m'a pas répondu", Command.WAITING),
        ("qué respuestas espero", Command.WAITING),
    ],
)
async def test_words_ask_for_what_there_is(words: str, command: Command) -> None:
    assert await plan(words) is command


async def test_a_time_that_was_not_said_is_asked_for_with_buttons() -> None:
    found = await plan("give me a summary every day")
    assert isinstance(found, Unclear)
    assert [one.label for one in found.choices] == ["Every morning at 07:30", "Every evening at 19:00"]


async def test_several_of_one_name_are_asked_about_and_a_stranger_is_told() -> None:
    found = await plan("I'm waiting for Sam's reply")
    assert isinstance(found, Unclear)
    assert [one.label for one in found.choices] == ["Sam Hill", "Sam Dale"]
    stranger = await plan("tell me if Zoe doesn't answer by Friday")
    assert isinstance(stranger, Unclear)
    assert "Zoe" in stranger.question


@pytest.mark.parametrize("words", ["tell Bob that I wait for your answer", "remind me to answer Anna tomorrow at 9"])
async def test_what_only_sounds_like_it_is_something_else(words: str) -> None:
    found = await plan(words)
    assert isinstance(found, Planned)
    assert not any(step.tool_call.startswith("bot_digests") for step in found.steps)
