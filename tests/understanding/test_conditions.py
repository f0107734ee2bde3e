"""What is to be sent only if something happens is read first or asked about; politeness is no condition."""

from typing import Any

import pytest

from bench.understanding_scenes import NOW, request, tools
from butler.orchestrator.embedded.scene import scene_of
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput, Unclear
from butler.orchestrator.understanding.planner import built
from butler.orchestrator.understanding.requests.conditions import hanging, refused
from butler.understanding.reader import Request
from tests.understanding.marked import said


def hung(line: str, language: str = "en") -> PlannerOutput | None:
    """What a message that is marked comes to where it hangs on something."""
    one = said(line, "message.send", language=language).request
    scene = scene_of(request(one.text, "demo", tools(), NOW))

    def build(part: Request) -> PlannerOutput:
        return built(part, scene, one.text, language)

    return hanging([one], build)


@pytest.mark.parametrize(
    ("language", "line", "value"),
    [
        ("en", "if Anna's mail says yes, tell [bob](to) [I'll come](reported)", True),
        ("en", "if mail-1 says no, tell [bob](to): [we stay](text)", False),
        ("de", "wenn die Mail von Anna ja sagt, schreib [bob](to): [ich komme](text)", True),
        ("fr", "si le courriel d'Anna dit oui, écris à [bob](to) : [je viens](text)", True),
        ("es", "si el correo de Anna dice que sí, dile a [bob](to): [voy](text)", True),
    ],
)
def test_a_mails_yes_decides(language: str, line: str, value: object) -> None:
    output = hung(line, language)
    assert isinstance(output, Planned)
    steps: list[Any] = list(output.steps)
    assert steps[-1].tool_call == "user_telegram_send_message"
    assert (steps[-1].when.is_, steps[-1].when.value) == ("equal", value)
    assert "read_message" in steps[steps[-1].when.step_id - 1].tool_call


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "if it rains, tell [bob](to) [I'll come](reported)"),
        ("de", "falls anna absteigt, schreib [bob](to): [ich komme](text)"),
        ("fr", "si le colis arrive, dis à [anna](to) que [il est là](reported)"),
    ],
)
def test_any_other_condition_is_asked_about(language: str, line: str) -> None:
    assert isinstance(hung(line, language), Unclear)


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "if you don't mind, tell [anna](to): [I come by bike](text)"),
        ("de", "wenn du Zeit hast, schreib [anna](to): [ich komme](text)"),
        ("fr", "si tu peux, écris à [anna](to) : [j'arrive](text)"),
        ("es", "si puedes, escribe a [anna](to): [ya voy](text)"),
        ("en", "tell [anna](to) [if it rains we stay in](reported)"),
    ],
)
def test_politeness_is_no_condition(language: str, line: str) -> None:
    assert hung(line, language) is None


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "don't tell [mum](to) [I'm ill](reported)"),
        ("en", "please do not text [mum](to) yet"),
        ("de", "sag [mum](to) nicht, dass [ich krank bin](reported)"),
        ("fr", "ne dis pas à [anna](to) que [je suis malade](reported)"),
        ("es", "no le digas a [anna](to) que [llego tarde](reported)"),
    ],
)
def test_what_shall_not_be_sent_is_not(language: str, line: str) -> None:
    assert isinstance(refused([said(line, "message.send", language=language).request]), Unclear)


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "tell [mum](to) [I'm not coming, don't wait](reported)"),
        ("en", "don't forget to tell [mum](to) [I'm late](reported)"),
        ("de", "kannst du nicht [mum](to) schreiben, dass [ich nicht komme](reported)"),
        ("fr", "n'oublie pas de dire à [anna](to) que [je ne viens pas](reported)"),
        ("es", "no olvides decirle a [anna](to) que [no voy](reported)"),
    ],
)
def test_a_no_within_the_text_is_part_of_it(language: str, line: str) -> None:
    assert refused([said(line, "message.send", language=language).request]) is None
