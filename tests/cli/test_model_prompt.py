"""`butler understand --prompt`: what a model would be sent, to the letter, and how much it is."""

import json
import statistics

import pytest

from butler.agents.model import ModelLlm
from butler.cli.model_prompt import model_prompt
from butler.cli.understand import sample_request
from butler.contract.errors import Refuse
from butler.orchestrator.experts.building import build_experts
from butler.orchestrator.planning.factory import make_planner
from config.settings import LlmSettings
from tests.agents.wire import CHAT, KEY, ModelServer

NOW = "2026-03-05T12:00:00+00:00"
REQUESTS = (
    "tell Anna on Telegram that I'll be ten minutes late",
    "move all cards in Doing to Done and tell Bob",
    "remind me an hour before the dentist",
    "what did I miss in the family chat?",
    "archive all newsletters older than a month",
    "wie spät ist mein Termin beim Zahnarzt?",
    "schreib Carol eine Mail, dass die Rechnung bezahlt ist",
    "erinnere mich jeden Montag um neun an den Müll",
    "antworte auf die zweite: passt, danke",
    "was ist diese Woche los?",
    "envoie le dernier mail de Bob à Carol",
    "mets le dîner avec Anna dans mon agenda samedi à 20h",
    "qu'est-ce que le contrat dit du préavis ?",
    "combien de mails non lus ai-je ?",
    "archive la carte du visa",
    "recuérdame mañana llamar a mamá",
    "¿quién me escribe más correos?",
    "busca en mi drive el contrato de alquiler",
    "cancela la cena y avisa a Anna",
    "¿por qué va lento el servidor?",
    "what is the capital of France?",
)


async def told(text: str) -> dict[str, object]:
    return json.loads(await model_prompt(text, now=NOW, as_json=True))


async def test_it_says_the_messages_the_tools_and_the_tokens() -> None:
    shown = await told(REQUESTS[0])
    assert set(shown) >= {"tokens", "tools", "messages"}
    system, user = shown["messages"]  # type: ignore[misc]
    assert (system["role"], user["role"]) == ("system", "user")
    assert user["content"].endswith(f"The owner says:\n{REQUESTS[0]}")
    assert "user_telegram_send_message" in shown["tools"]  # type: ignore[operator]
    assert all(f"## {tool}" in user["content"] for tool in shown["tools"])  # type: ignore[union-attr]


async def test_the_beginning_is_the_same_for_all_requests_so_that_a_provider_can_keep_it() -> None:
    beginnings = {json.dumps((await told(text))["messages"][0]) for text in REQUESTS[:6]}  # type: ignore[index]
    assert len({beginning.partition("Examples;")[0] for beginning in beginnings}) == 1


async def test_half_of_all_requests_take_less_than_six_thousand_tokens_and_about_fifteen_tools() -> None:
    shown = [await told(text) for text in REQUESTS]
    assert statistics.median(int(str(one["tokens"])) for one in shown) < 6_000
    assert max(len(list(one["tools"])) for one in shown) <= 15  # type: ignore[call-overload]


async def test_a_model_is_sent_exactly_that() -> None:
    server = ModelServer(CHAT)
    await server.start()
    try:
        server.answers = [CHAT.text("Paris.")]
        settings = LlmSettings(model=CHAT.model, base_url=server.base_url)
        planner = make_planner(ModelLlm(settings, KEY), build_experts())
        await planner.plan(sample_request(REQUESTS[-1], NOW))
    finally:
        await server.stop()
    sent = [(one["role"], one["content"]) for one in server.requests[-1]["messages"]]
    shown = await told(REQUESTS[-1])
    assert sent == [(one["role"], one["content"]) for one in shown["messages"]]  # type: ignore[union-attr]
    assert server.refused == []


async def test_what_no_model_is_asked_about_is_said() -> None:
    with pytest.raises(Refuse, match="no model is asked"):
        await model_prompt("every Sunday archive all newsletters", now=NOW, as_json=True)


async def test_people_read_it_with_the_counts_above() -> None:
    text = await model_prompt(REQUESTS[0], now=NOW, as_json=False)
    assert " tokens, " in text.split("\n")[0]
    assert "You are " in text
