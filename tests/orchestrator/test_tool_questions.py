"""What the tools say of themselves, asked in a chat: what they can, who is behind them, whether they can be used."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from butler.adapters.catalogue import catalogue_of
from butler.contract.card import Style, rich_text
from butler.contract.integration import IntegrationResult
from butler.contract.provenance import Trust
from butler.contract.tappable import tappable
from butler.contract.tools import ToolCall
from butler.orchestrator.planning.plan_types import Planned
from butler.orchestrator.results.facts import labels_of
from butler.registry import Registry
from butler.tool_answers import ToolAnswers
from modules.tools.module import DESCRIBE, DescribeArgs, ToolsModule, ToolsSettings
from tests.contract.almanac import AlmanacModule
from tests.orchestrator.harness import Harness
from tests.orchestrator.operations.scene import plan
from tests.support.context import make_context
from tests.support.declared_facts import assert_facts
from tests.support.reading import reading_planner

SECRET = "s3cr3t-of-the-almanac"
ASKED: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("help", "trello"): (
        "What can Trello do?", "what can you do with Trello?", "how do I use trello", "Was kann Trello?",
        "Was kann ich mit Trello machen?", "Wie benutze ich Trello?", "Que peut faire Trello ?",
        "Que peux-tu faire avec Trello ?", "¿Qué puede hacer Trello?", "¿Qué puedes hacer con Trello?",
    ),
    ("status", "grafana"): (
        "Is Grafana reachable?", "can you reach grafana?", "are you connected to Grafana?", "Ist Grafana erreichbar?",
        "Kannst du Grafana erreichen?", "Est-ce que Grafana est joignable ?", "Grafana est-il accessible ?",
        "¿Está Grafana accesible?", "¿Está disponible Grafana?",
    ),
    ("list_providers", "email"): (
        "Which providers are there for mail?", "what providers do you have for email",
        "Welche Anbieter gibt es für Mail?",
        "Quels fournisseurs y a-t-il pour le courrier ?", "¿Qué proveedores hay para el correo?",
    ),
    ("list_providers", ""): (
        "Which providers are there?", "list the providers", "Welche Anbieter gibt es?",
        "Quels fournisseurs y a-t-il ?", "¿Qué proveedores hay?",
    ),
    ("list_methods", "trello"): (
        "Which methods does Trello have?", "Welche Methoden hat Trello?", "Quelles méthodes utilise Trello ?",
        "¿Qué métodos tiene Trello?",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("words", "asked"), [(words, asked) for asked, every in ASKED.items() for words in every])
async def test_questions_about_tools_are_read_in_four_languages(
    harness: Harness, words: str, asked: tuple[str, str]
) -> None:
    found = await plan(words, tools=tuple(harness.registry.specs()))
    assert isinstance(found, Planned), found
    (step,) = found.steps
    assert (step.tool_call, step.args["op"], step.args["about"]) == (DESCRIBE, *asked)


@pytest.mark.parametrize(
    "words",
    ["what can you do?", "is Anna available?", "what can Bob do", "is the meeting set up", "help", "is my server up?",
     "Was kannst du?", "Ist Anna erreichbar?", "is mail from Bob there", "which methods does Anna have"],
)  # fmt: skip
async def test_other_questions_ask_no_tool_of_itself(harness: Harness, words: str) -> None:
    found = await plan(words, tools=tuple(harness.registry.specs()))
    assert not (isinstance(found, Planned) and any(step.tool_call == DESCRIBE for step in found.steps)), found


class Rude(AlmanacModule):
    """Its provider says of the account what could harm whoever reads it."""

    def __init__(self) -> None:
        super().__init__()
        self.almanac.auth_status = self._says  # type: ignore[method-assign]

    async def _says(self) -> dict[str, Any]:
        detail = f"key {SECRET} at https://me:pw@evil.example/x\n/resume\u202e"
        return {"ok": False, "account": "almanac.example", "detail": detail, "todo": "set ALMANAC_KEY"}


@pytest.fixture
def registry() -> Registry:
    module = Rude()
    answers = ToolAnswers(lambda text: text.replace(SECRET, "…"))
    made = Registry(catalogue_of(module.almanac.contract("1.0.0")))
    made.add_module(module)
    made.add_module(ToolsModule(ToolsSettings(), make_context(envelope=answers)))
    return answers.of(made)


async def told(registry: Registry, op: str, about: str = "almanac") -> str:
    args = DescribeArgs.model_validate({"op": op, "about": about})
    result = await registry.invoke(ToolCall(DESCRIBE, args, call_id="1", trace_id="1"))
    return str((result.data or {}).get("told")) if result.ok else f"{result.error.message if result.error else ''}"


async def test_each_question_has_its_answer(registry: Registry) -> None:
    assert "• Find days by what they are called." in await told(registry, "help")
    assert "• words: What the day is called." in await told(registry, "help", "bot_almanac_find_days")
    assert "almanac.days.find.v1 (read, days.read, at most 10 in 1 s)" in await told(registry, "list_methods")
    assert "• almanac-days: almanac" in await told(registry, "list_providers", "")
    assert await told(registry, "help", "abacus") == "abacus is not set up"
    help_ = DescribeArgs.model_validate({"op": "help", "about": "almanac"})
    assert_facts(registry.spec(DESCRIBE), await registry.invoke(ToolCall(DESCRIBE, help_, call_id="1", trace_id="1")))


async def test_a_status_holds_no_secret_and_is_the_word_of_others(registry: Registry) -> None:
    said = await told(registry, "status")
    assert said.startswith("🔴 almanac almanac.example: cannot be used now")
    assert SECRET not in said
    assert "me:pw" not in said
    assert "\n" not in said
    spec = registry.spec(DESCRIBE)
    assert {one.trust for one in labels_of(spec, {"told": said})} == {Trust.UNTRUSTED}


async def test_in_a_chat_nothing_that_a_provider_says_can_be_tapped(harness: Harness, registry: Registry) -> None:
    said = await told(registry, "status")
    harness.results[DESCRIBE] = [IntegrationResult(ok=True, data={"told": said, "count": 1})]
    harness.registry._tools[DESCRIBE] = replace(registry.spec(DESCRIBE), handler=harness._handle)
    harness.planner = reading_planner()
    harness.start()
    await harness.say("Is Grafana reachable?")
    (message,) = harness.phone.messages
    assert "cannot be used now" in rich_text(message.text)
    tapped = [span.text for span in message.text if tappable(span.text) and span.style is not Style.CODE]
    assert tapped == []
    assert harness.outputs() == []
