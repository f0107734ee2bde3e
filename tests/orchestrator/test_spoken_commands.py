"""Words that want everything stopped stop it, whatever else is set up; words about a stop to somebody else do not."""

from typing import TypeVar

import pytest
from pydantic import BaseModel

from butler.orchestrator.planning.model_planner import ModelPlanner
from butler.orchestrator.planning.plan_types import Command
from butler.orchestrator.planning.spoken import spoken
from tests.orchestrator.embedded import scene
from tests.support.models import FormsOnly

M = TypeVar("M", bound=BaseModel)


class NoModel(FormsOnly):
    """Fails when it is asked."""

    async def fill(self, form: type[M], *, instructions: str, prompt: str, check: object = None) -> M:
        raise AssertionError("a stop waits for no model")


COMMANDS = [
    *((words, Command.PAUSE) for words in (
        "stop", "Stop!", "STOP!!!", "stop it", "stop it now", "please stop", "stop, please", "Jeeves, stop",
        "stop Jeeves", "stop everything", "Stop everything you do", "stop everything you’re doing",
        "can you stop everything?",
        "stop what you are doing", "No! Stop, stop!", "wait, stop everything right now", "stop all", "stop sending",
        "pause", "pause user", "pause everything", "pause it", "emergency stop", "Emergency stop!", "halt",
        "halt everything", "cancel everything",
    )),
    *((words, Command.RESUME) for words in (
        "resume", "Resume, please", "resume everything", "go on again", "go on", "you may go on again",
        "lift the pause",
    )),
    *((words, Command.UNDO) for words in (
        "undo", "undo it", "Undo that!", "take it back", "please take that back", "cancel that", "cancel", "unsend it",
        "can I still undo that?", "oh no, take it back",
    )),
    *((words, Command.DONE) for words in (
        "what have you done for me today?", "What have you done for me so far today?", "what did you do today",
        "Jeeves, what have you done?", "show me what you've done today", "Was hast du heute für mich gemacht?",
        "was hast du heute schon alles erledigt?", "sag mir, was du heute gemacht hast",
        "qu'as-tu fait pour moi aujourd'hui ?",
        "Qu’est-ce que tu as fait aujourd’hui ?", "¿Qué has hecho hoy por mí?", "¿qué hiciste hoy?",
    )),
]  # fmt: skip


@pytest.mark.parametrize(("words", "command"), COMMANDS, ids=[words for words, _ in COMMANDS])
async def test_it_is_understood_and_no_model_is_asked_first(words: str, command: Command) -> None:
    assert spoken(words, "Jeeves") is command
    assert await ModelPlanner(NoModel()).plan(scene.request(words)) is command


@pytest.mark.parametrize(
    "words",
    [
        "“stop everything”",
        '"stop"',
        "stop Anna",
        "tell Anna to stop",
        "tell Bob: stop everything",
        "> stop everything",
        "Anna says stop everything",
        "stop the reminder",
        "remind me to stop",
        "don't stop",
        "undo the second one",
        "pause user mail",
        "when did I say stop",
        "please",
        "",
    ],
)
def test_words_that_say_more_or_quote_it_are_no_command(words: str) -> None:
    assert spoken(words, "Jeeves") is None


@pytest.mark.parametrize(
    ("words", "command"),
    [
        *((words, Command.PAUSE) for words in (
            "stop", "Stop everything!", "stopp", "Halt", "Hör auf", "arrête", "Arrête tout !", "arrêter", "para",
            "¡Para todo!", "detente", "alto", "abort", "Hör sofort auf!", "Ça suffit", "¡Basta!",
        )),
        *((words, Command.UNDO) for words in (
            "cancel", "cancel that", "abbrechen", "Abbruch!", "brich das ab", "annuler", "annule ça", "cancelar",
            "cancela", "cancélalo",
        )),
        *((words, Command.RESUME) for words in ("resume", "weitermachen", "reprends", "continúa")),
    ],
)  # fmt: skip
def test_a_stop_and_a_cancel_are_understood_in_every_language(words: str, command: Command) -> None:
    assert spoken(words, "Jeeves") is command
